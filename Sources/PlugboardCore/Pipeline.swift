import CPlugboard
import PlugboardKit

// The life of an exchange: one request and its outcome.
//
// Heads flow through hooks; bodies flow through sources. The request's head visits the plugins inward, the transport
// sends it, and the head of the answer (or a failure) visits them outward in exactly the reverse order. Then the reader
// pulls the body, through whatever sources plugins wrapped around it.
//
//     Request ─▶ onRequest    A ▸ B ▸ C ─▶ Transport
//                    respond │              │
//     Response ◀─ onResponse A ◂ B ◂ C ◀────┘     or ◀─ onFailure, when there is no answer
//     body     ◀─ pull       A ◂     C ◀────      only those that wrapped it (here A and C)
//                 onClose    A ◂ B ◂ C            how it ended, innermost first
//                 onEvent    A   B   C            facts, for watching only
//
//  1. Order is priority: heads go inward in ascending priority; answers, closings and shutdown in exactly the reverse.
//  2. `next` opens a turn; a hook that is not listed counts as `next`. Who opened a turn sees its outcome, and it
//     closes exactly once, after the body's end and before the reader gets that end.
//  3. `respond` turns around at that plugin; what lies deeper is never entered, and the answering plugin does not see
//     its own answer.
//  4. `resend` re-enters just inside the plugin that asked, with the request as that plugin last passed it inward, plus
//     the edits it makes now.
//  5. `wait` parks the exchange and hands out a ticket; the same hook runs again when it is woken, or at its deadline.
//  6. `hold` asks for the whole body; the same hook runs again with it, or is told that it is over the limit.
//  7. A body is a source that is pulled; plugins put sources of their own around it.
//  8. When a plugin resends, responds or fails on an answer, the inner body is discarded, and the turns further in close
//     as `resent`, `replaced` or `failed`.
//  9. The exchange's timeout and a cancel call no steering hook: they release bodies and close turns. Suspending stops
//     steering hooks, the transport and wait deadlines.
// 10. Watching is not steering: `onEvent` cannot change anything.
//
// `advance` below keeps these rules; the functions it calls stand in the order of events. What it needs to know of the
// plugins is in `Pipeline`, made once at start-up; what it needs to know of one exchange is in `Exchange`.

/// The enabled plugins in order, outermost first, and for each hook those that list it.
final class Pipeline: Sendable {
    let slots: [Slot]
    /// Inward: ascending.
    let requestSlots: [Slot]
    /// Outward: descending.
    let responseSlots: [Slot]
    let failureSlots: [Slot]
    let closeSlots: [Slot]
    let watchers: Watchers
    /// Only then must the request be remembered as each plugin saw it.
    let hasOutwardHooks: Bool

    /// Turns are the bits of a word.
    static let limit = UInt64.bitWidth

    init(_ slots: [Slot]) {
        self.slots = slots
        requestSlots = slots.filter { $0.hooks.contains(.request) }
        responseSlots = slots.reversed().filter { $0.hooks.contains(.response) }
        failureSlots = slots.reversed().filter { $0.hooks.contains(.failure) }
        closeSlots = slots.reversed().filter { $0.hooks.contains(.close) }
        watchers = Watchers(slots)
        hasOutwardHooks = !responseSlots.isEmpty || !failureSlots.isEmpty
    }
}

extension ExchangeCore {
    /// Lets the head go on from where it stands, until it has come through, or something is awaited.
    func advance() {
        while !isSuspended && phase == .steering {
            guard let slot = nextSlot() else {
                if stage == .request { return perform() }
                return stage == .response ? deliver() : finish(failing: failure ?? ExchangeCore.lostFailure)
            }
            // Who stands further out and lists no such hook has let the head pass (rule 2).
            if stage == .request { turns.open(upTo: slot.index, skipping: skipped) }
            let decision = visit(slot)
            // A hook may bring about the end of its own exchange.
            guard phase == .steering else { return decision.drop() }
            switch decision {
            case .next: pass(slot)
            case .respond(let answer): turnAround(at: slot, with: answer)
            case .resend(let delay): resend(from: slot, after: delay)
            case .hold(let limit): return hold(at: slot, upTo: limit)
            case .wait(let ticket, let deadline): return park(ticket, until: deadline)
            case .fail(let error): fail(at: slot, error)
            }
        }
    }

    // MARK: Inward

    /// The next slot that this head visits, or nil when it has come through.
    private func nextSlot() -> Slot? {
        let slots = stage.slots(pipeline)
        while cursor < slots.count {
            let slot = slots[cursor]
            if takesPart(slot) { return slot }
            cursor += 1
        }
        return nil
    }

    /// `next`: inward it opens the turns up to this slot, outward it just goes on.
    private func pass(_ slot: Slot) {
        if stage == .request { turns.open(upTo: slot.index + 1, skipping: skipped) }
        cursor += 1
    }

    /// The head has come through: one attempt on the network.
    private func perform() {
        turns.open(upTo: pipeline.slots.count, skipping: skipped)
        guard attempts < core.settings.attemptLimit else { return answered(.failure(ExchangeCore.runaway(attempts))) }
        beginAttempt()
    }

    // MARK: Outward

    /// What came of the attempt turns the exchange around, at its innermost point.
    func answered(_ outcome: Result<OutwardResponse, PlugboardError>) {
        responder = nil
        switch outcome {
        case .success(let answer): goOutward(from: pipeline.slots.count, with: answer)
        case .failure(let error): goOutward(from: pipeline.slots.count, failing: error)
        }
        advance()
    }

    /// `respond`: what lies further in has been for nothing.
    private func turnAround(at slot: Slot, with answer: OutwardResponse) {
        discardResponse()
        turns.close(inside: slot.index, .replaced, self)
        responder = slot
        goOutward(from: slot.index, with: answer)
    }

    /// `resend`: from just inside the plugin, now or after a delay.
    private func resend(from slot: Slot, after delay: Duration) {
        resends += 1
        guard resends < core.settings.attemptLimit else { return fail(at: slot, ExchangeCore.runaway(resends)) }
        discardResponse()
        turns.close(inside: slot.index, .resent, self)
        failure = nil
        prepareResend(by: slot, after: delay)
        stage = .request
        cursor = pipeline.requestSlots.firstIndex { $0.index > slot.index } ?? pipeline.requestSlots.count
        if delay > .zero { pause(for: delay) }
    }

    /// `fail`: the failure goes on outward from here; the plugin that failed does not see it.
    private func fail(at slot: Slot, _ error: PlugboardError) {
        discardResponse()
        failure = error
        turns.close(inside: slot.index, .failed, self)
        goOutward(from: slot.index, failing: error)
    }

    private func goOutward(from index: Int, with answer: OutwardResponse) {
        response = answer
        failure = nil
        stage = .response
        cursor = pipeline.responseSlots.firstIndex { $0.index < index } ?? pipeline.responseSlots.count
    }

    /// Also for a body that breaks while it is held: then the plugin that held it hears of it.
    func goOutward(from index: Int, failing error: PlugboardError) {
        failure = error
        stage = .failure
        cursor = pipeline.failureSlots.firstIndex { $0.index < index } ?? pipeline.failureSlots.count
    }

    /// Nobody wants the answer: its body is drained or aborted.
    func discardResponse() {
        releaseBody()
        response = nil
    }

    /// The body has ended, or nobody wants it; the head stays for those who close.
    func releaseBody() {
        response?.body?.release()
        response?.body = nil
        endAttempt()
    }

    // MARK: The end

    /// The answer's head has come through. Its body now flows, and the turns close when it ends.
    private func deliver() {
        guard let answer = response else { return finish(failing: ExchangeCore.lostFailure) }
        phase = .flowing
        if let body = answer.body {
            isDelivered = true
            return outcome.succeed(answer, FlowingBody(body, of: self), self)
        }
        afterAttempt { [self] in
            isDelivered = true
            end(.ended)
            outcome.succeed(answer, nil, self)
        }
    }

    /// A failure has come through, or the exchange was ended from outside: nobody is asked any more.
    func finish(failing error: PlugboardError, _ closing: Outcome = .failed) {
        guard phase != .ended else { return }
        // From here on nobody steers, and what is released below finds out why.
        phase = .ended
        failure = error
        releaseBody()
        runSuspended()
        end(closing)
        if !isDelivered { outcome.fail(error, self) }
    }

    /// Closes what is open, innermost first, and tells those who watch. The last thing that an exchange does.
    func end(_ closing: Outcome) {
        phase = .ended
        unpark()
        undoRequestEdit()
        emit(.willComplete) { self.origins }
        core.settleFaults(of: self)
        turns.close(inside: -1, closing, self)
        emit(.completed) { [("outcome", .text("\(closing)")), ("attempts", .integer(Int64(self.attempts)))] }
        leave()
    }
}
