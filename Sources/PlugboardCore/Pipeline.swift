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
    let places: [Place]
    /// Inward: ascending.
    let requestPlaces: [Place]
    /// Outward: descending.
    let responsePlaces: [Place]
    let failurePlaces: [Place]
    let closePlaces: [Place]
    let watchers: Watchers
    /// Only then must the request be remembered as each plugin saw it.
    let hasOutwardHooks: Bool

    /// Turns are the bits of a word.
    static let limit = UInt64.bitWidth

    init(_ places: [Place]) {
        self.places = places
        requestPlaces = places.filter { $0.hooks.contains(.request) }
        responsePlaces = places.reversed().filter { $0.hooks.contains(.response) }
        failurePlaces = places.reversed().filter { $0.hooks.contains(.failure) }
        closePlaces = places.reversed().filter { $0.hooks.contains(.close) }
        watchers = Watchers(places)
        hasOutwardHooks = !responsePlaces.isEmpty || !failurePlaces.isEmpty
    }
}

extension Exchange {
    /// Lets the head go on from where it stands, until it has come through, or something is awaited.
    func advance() {
        while !isSuspended && phase == .steering {
            guard let place = nextPlace() else {
                if stage == .request { return perform() }
                return stage == .response ? deliver() : finish(failing: failure ?? Exchange.lostFailure)
            }
            // Who stands further out and lists no such hook has let the head pass (rule 2).
            if stage == .request { turns.open(upTo: place.index, skipping: skipped) }
            let decision = visit(place)
            // A hook may bring about the end of its own exchange.
            guard phase == .steering else { return decision.drop() }
            switch decision {
            case .next: pass(place)
            case .respond(let answer): turnAround(at: place, with: answer)
            case .resend(let delay): resend(from: place, after: delay)
            case .hold(let limit): return hold(at: place, upTo: limit)
            case .wait(let ticket, let deadline): return park(ticket, until: deadline)
            case .fail(let error): fail(at: place, error)
            }
        }
    }

    // MARK: Inward

    /// The next place that this head visits, or nil when it has come through.
    private func nextPlace() -> Place? {
        let places = stage.places(pipeline)
        while cursor < places.count {
            let place = places[cursor]
            if takesPart(place) { return place }
            cursor += 1
        }
        return nil
    }

    /// `next`: inward it opens the turns up to this place, outward it just goes on.
    private func pass(_ place: Place) {
        if stage == .request { turns.open(upTo: place.index + 1, skipping: skipped) }
        cursor += 1
    }

    /// The head has come through: one attempt on the network.
    private func perform() {
        turns.open(upTo: pipeline.places.count, skipping: skipped)
        guard attempts < core.settings.attemptLimit else { return answered(.failure(Exchange.runaway(attempts))) }
        beginAttempt()
    }

    // MARK: Outward

    /// What came of the attempt turns the exchange around, at its innermost point.
    func answered(_ outcome: Result<Answered, PlugboardError>) {
        responder = nil
        switch outcome {
        case .success(let answer): goOutward(from: pipeline.places.count, with: answer)
        case .failure(let error): goOutward(from: pipeline.places.count, failing: error)
        }
        advance()
    }

    /// `respond`: what lies further in has been for nothing.
    private func turnAround(at place: Place, with answer: Answered) {
        discardAnswer()
        turns.close(inside: place.index, .replaced, self)
        responder = place
        goOutward(from: place.index, with: answer)
    }

    /// `resend`: from just inside the plugin, now or after a delay.
    private func resend(from place: Place, after delay: Duration) {
        resends += 1
        guard resends < core.settings.attemptLimit else { return fail(at: place, Exchange.runaway(resends)) }
        discardAnswer()
        turns.close(inside: place.index, .resent, self)
        failure = nil
        prepareResend(by: place, after: delay)
        stage = .request
        cursor = pipeline.requestPlaces.firstIndex { $0.index > place.index } ?? pipeline.requestPlaces.count
        if delay > .zero { pause(for: delay) }
    }

    /// `fail`: the failure goes on outward from here; the plugin that failed does not see it.
    private func fail(at place: Place, _ error: PlugboardError) {
        discardAnswer()
        failure = error
        turns.close(inside: place.index, .failed, self)
        goOutward(from: place.index, failing: error)
    }

    private func goOutward(from index: Int, with answer: Answered) {
        response = answer
        failure = nil
        stage = .response
        cursor = pipeline.responsePlaces.firstIndex { $0.index < index } ?? pipeline.responsePlaces.count
    }

    /// Also for a body that breaks while it is held: then the plugin that held it hears of it.
    func goOutward(from index: Int, failing error: PlugboardError) {
        failure = error
        stage = .failure
        cursor = pipeline.failurePlaces.firstIndex { $0.index < index } ?? pipeline.failurePlaces.count
    }

    /// Nobody wants the answer: its body is drained or aborted.
    func discardAnswer() {
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
        guard let answer = response else { return finish(failing: Exchange.lostFailure) }
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
