import CPlugboard
import PlugboardBorder

// The life of an exchange: one request and its outcome.
//
// Heads flow through hooks; bodies flow through sources. The request's head visits the plugins inward, the transport
// sends it, and the head of the response (or a failure) visits them outward in exactly the reverse order. Then the
// reader pulls the body, through the sources that plugins wrapped around it.
//
//     Request ─▶ onRequest    A ▸ B ▸ C ─▶ Transport
//                    respond │              │
//     Response ◀─ onResponse A ◂ B ◂ C ◀────┘     or ◀─ onFailure, when there is no response
//     body     ◀─ pull       A ◂     C ◀────      only those that wrapped it (here A and C)
//                 onClose    A ◂ B ◂ C            how it ended, innermost first
//                 onEvent    A   B   C            facts, for watching only
//
//  1. Order is priority: heads go inward in ascending priority; responses, closings and shutdown in exactly the
//     reverse order.
//  2. `next` opens a turn; a hook that is not listed counts as `next`. A plugin whose turn is open gets the outcome,
//     and its turn closes exactly once, after the body's end and before the reader gets that end.
//  3. `respond` turns around at that plugin; what lies further in is never entered, and the plugin that responds does
//     not see its own response.
//  4. `resend` enters again just inside the plugin that asked, with the request as that plugin last passed it inward,
//     plus the edits that it makes now.
//  5. `wait` parks the exchange and hands out a ticket; the same hook runs again when it is woken, or at its deadline.
//  6. `hold` asks for the whole body; the same hook runs again with it, or with the visit `overLimit`.
//  7. A body is a source that is pulled; plugins put sources of their own around it.
//  8. When a plugin resends, responds or fails on a response, the inner body is discarded, and the turns further in
//     close as `resent`, `replaced` or `failed`.
//  9. The exchange's timeout and a cancel call no steering hook: they release bodies and close turns. Suspending stops
//     steering hooks, the transport and wait deadlines.
// 10. Watching is not steering: `onEvent` cannot change anything.
//
// `advance` below keeps these rules; the functions that it calls stand in the order of events. `Steering` decides what
// comes next. The plugins are in `Pipeline`, made once at start-up; the state of one exchange is in `ExchangeCore`.

/// The enabled plugins in order, outermost first, and the hooks that they list.
final class Pipeline: Sendable {
    /// How many plugins may be enabled.
    static let limit = SlotSet.limit

    let slots: [Slot]
    /// The same slots, for visits without reference counting.
    private let borrowed: [Unmanaged<Slot>]
    let hooks: HookSlots
    let tables: HookTables
    let watchers: Watchers
    /// The slots before whose hooks the messages are kept for the case of a fault.
    let slotsWithSnapshot: SlotSet
    /// The slots whose plugins must find the request outward as they passed it inward.
    let outwardSlots: SlotSet

    init(_ slots: [Slot]) {
        self.slots = slots
        borrowed = slots.map { Unmanaged.passUnretained($0) }
        hooks = HookSlots(slots.map(\.hooks))
        tables = HookTables(slots)
        watchers = Watchers(slots, tables)
        slotsWithSnapshot = SlotSet(slots.filter(\.isSkippedOnFault).map(\.bit))
        outwardSlots = hooks.response.union(hooks.failure)
    }

    /// Calls a function with the slot of this index, which the pipeline keeps meanwhile.
    @inline(__always)
    func withSlot(_ index: Int, _ use: (Slot) -> Void) { borrowed[index]._withUnsafeGuaranteedRef(use) }
}

extension ExchangeCore {
    /// Moves the head on until it has passed all hooks, or the exchange waits for something.
    func advance() {
        while isDeciding {
            switch steering.step(pipeline.hooks) {
            case .visit(let index): visit(from: index)
            case .attempt: perform()
            case .deliver: deliver()
            case .fail: finish(failing: failure ?? ExchangeCore.lostFailure)
            }
        }
    }

    /// Calls the hook of this slot and does what it decides. As long as hooks let the head pass, those of the following
    /// slots are called too.
    @inline(__always)
    private func visit(from index: Int) {
        let toPrepare = steering.slotsAhead(pipeline.hooks).intersection(slotsToPrepare)
        if toPrepare.contains(SlotSet(index)) {
            pipeline.withSlot(index) { visit($0) }
        } else {
            let stop = steering.stage == .request ? visitInward(to: toPrepare) : visitOutward(to: toPrepare)
            if let (slot, code) = stop { pipeline.withSlot(slot) { carryOut(code, of: $0, .first, nil) } }
        }
    }

    /// Calls the hooks ahead, up to the first slot of a set, as long as each lets the head pass and leaves nothing.
    ///
    /// - Returns: The slot of the hook that does not, and its result; nil if the head has passed them all.
    @inline(never)
    private func visitInward(to end: SlotSet) -> (Int, UInt32)? {
        let (exchange, callees) = (pointer, pipeline.tables.request.callees)
        let range = end.before.intersection(pipeline.hooks.all)
        var left = steering.slotsAhead(pipeline.hooks).intersection(range)
        return inRound(.onRequest) { round, outer in
            while let slot = left.takeOutermost() {
                let callee = callees[slot]
                begin(callee, round)
                let code = callee.function(callee.instance, exchange)
                guard hasLeftNothing(code) && isDeciding else { return (slot, code) }
                clearViews(after: outer)
                // Including the next slots that do not list `onRequest`.
                steering.passInward(left.before.intersection(range))
            }
            return nil
        }
    }

    /// Visits the hooks of a response or a failure, from the inside out.
    @inline(never)
    private func visitOutward(to end: SlotSet) -> (Int, UInt32)? {
        let (exchange, callees) = (pointer, pipeline.tables.steering(steering.stage))
        var left = steering.slotsAhead(pipeline.hooks).intersection(end.after)
        return inRound(steering.stage.hook) { round, outer in
            while let slot = left.innermost {
                let callee = callees[slot]
                begin(callee, round)
                let code = callee.function(callee.instance, exchange)
                guard hasLeftNothing(code) && isDeciding else { return (slot, code) }
                clearViews(after: outer)
                steering.passOutward(slot)
                left.formIntersection(SlotSet(slot).before)
            }
            return nil
        }
    }

    /// Whether the head may move on now.
    @inline(__always)
    private var isDeciding: Bool { !isSuspended && steering.phase == .deciding }

    /// Prepares and calls one hook, and carries out its decision.
    @inline(never)
    private func visit(_ slot: Slot) {
        let reason = steering.visit
        let start = prepareVisit(slot)
        let code: UInt32 = visit(slot)
        carryOut(code, of: slot, reason, start)
    }

    // Not inlined, because most hooks let the head pass and leave nothing most of the time.
    @inline(never)
    private func carryOut(_ code: UInt32, of slot: Slot, _ reason: Visit, _ start: HookCallStart?) {
        let decision = settle(code, of: slot, reason, start)
        // The hook may have ended its own exchange.
        guard steering.phase == .deciding else { return drop(decision) }
        switch decision {
        case .next: steering.pass(slot.index)
        case .respond(let response): turnAround(at: slot, with: response)
        case .resend(let delay): resend(from: slot, after: delay)
        case .hold(let limit): hold(at: slot, upTo: limit)
        case .wait(let ticket, let deadline): park(ticket, until: deadline)
        case .fail(let error): fail(at: slot, error)
        }
    }

    // MARK: Inward

    /// Begins an attempt on the network, because the request has passed all plugins.
    private func perform() {
        guard attempts.count < core.settings.attemptLimit else {
            return turnAround(failing: Attempts.runaway(attempts.count))
        }
        beginAttempt()
    }

    // MARK: Outward

    /// The attempt's response turns the exchange around, at its innermost point.
    func turnAround(with response: consuming OutwardResponse) {
        responder = nil
        goOutward(from: pipeline.slots.count, with: response)
        advance()
    }

    /// The failure of the attempt turns the exchange around.
    func turnAround(failing error: PlugboardError) {
        responder = nil
        goOutward(from: pipeline.slots.count, failing: error)
        advance()
    }

    /// `respond`: a response from further in is discarded.
    private func turnAround(at slot: Slot, with response: OutwardResponse) {
        discardResponse()
        closeTurns(inside: slot.index, .replaced)
        responder = slot
        goOutward(from: slot.index, with: withoutForbiddenBody(response))
    }

    /// Responses to HEAD, and those with 204 and 304, have no body: removes one that a plugin has given.
    private func withoutForbiddenBody(_ response: OutwardResponse) -> OutwardResponse {
        let status = response.head.status
        guard let body = response.body, status == 204 || status == 304 || request.head.method == .head else {
            return response
        }
        body.release()
        var response = response
        response.body = nil
        return response
    }

    /// `resend`: from just inside the plugin, now or after a delay.
    private func resend(from slot: Slot, after delay: Duration) {
        guard attempts.countResend(limit: core.settings.attemptLimit) else {
            return fail(at: slot, Attempts.runaway(attempts.resends))
        }
        discardResponse()
        closeTurns(inside: slot.index, .resent)
        failure = nil
        prepareResend(by: slot, after: delay)
        steering.reenter(inside: slot.index)
        if delay > .zero { pause(for: delay) }
    }

    /// `fail`: the failure goes outward from here; the plugin that failed does not see it.
    private func fail(at slot: Slot, _ error: PlugboardError) {
        discardResponse()
        failure = error
        closeTurns(inside: slot.index, .failed)
        goOutward(from: slot.index, failing: error)
    }

    private func goOutward(from slot: Int, with response: consuming OutwardResponse) {
        self.response = response
        failure = nil
        steering.goOutward(.response, from: slot)
    }

    /// Also called for a body that breaks while it is held.
    func goOutward(from slot: Int, failing error: PlugboardError) {
        failure = error
        steering.goOutward(.failure, from: slot)
    }

    /// Discards the response, which is no longer needed: its body is drained or aborted.
    func discardResponse() {
        releaseBody()
        response = nil
    }

    /// Releases the body, which has ended or is no longer needed. The head stays for `onClose`.
    func releaseBody() {
        response?.body?.release()
        response?.body = nil
        endAttempt()
    }

    // MARK: The end

    /// Delivers the response, whose head has passed all plugins. Its body now flows, and the turns close when it ends.
    private func deliver() {
        guard let head = response?.head else { return finish(failing: ExchangeCore.lostFailure) }
        steering.phase = .flowing
        if let body = response?.body {
            isDelivered = true
            return outcome.succeed(head, FlowingBody(body, of: self), self)
        }
        afterAttempt { [self] in
            isDelivered = true
            end(.ended)
            outcome.succeed(head, nil, self)
        }
    }

    /// Ends the exchange after a failure has passed all plugins, or from outside. Calls no more steering hooks.
    func finish(failing error: PlugboardError, _ closing: TurnOutcome = .failed) {
        guard steering.phase != .ended else { return }
        // Set first, because what is released below must find that the exchange has ended, and why.
        steering.phase = .ended
        failure = error
        releaseBody()
        endSuspension()
        end(closing)
        if !isDelivered { outcome.fail(error, self) }
    }

    /// Closes the open turns, innermost first, and reports the end. The last step of an exchange.
    func end(_ closing: TurnOutcome) {
        steering.phase = .ended
        unpark()
        request.undoEdit()
        emit(.willComplete, .provenance)
        core.settleFaults(of: self)
        closeTurns(inside: -1, closing)
        emit(.completed, .outcome(closing))
        leave()
    }
}
