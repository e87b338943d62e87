import CPlugboard
import PlugboardBorder

/// Calling a hook, and checking that it keeps the rules.
extension ExchangeCore {
    /// The slots whose hooks are called one by one, because something must be done before each of them
    /// (`prepareVisit`), or because the visit is not their first one.
    @inline(__always)
    var slotsToPrepare: SlotSet {
        if trace != nil || isMeasured || steering.visit != .first { return pipeline.hooks.all }
        let slots = pipeline.slotsWithSnapshot
        return steering.stage == .request ? slots : slots.union(request.editedSlots)
    }

    /// Keeps what may be needed after the hook, and restores the request as the plugin passed it inward.
    ///
    /// - Returns: The call, where it is to be told of.
    @inline(never)
    func prepareVisit(_ slot: Slot) -> HookCallStart? {
        if steering.stage != .request {
            for body in request.recall(for: slot.index) { body.release() }
        }
        if slot.isSkippedOnFault && beforeFault == nil { beforeFault = FoundMessages(self) }
        return beginCall(of: slot)
    }

    /// Calls the steering hook of the plugin in this slot, which finds `steering.visit`.
    @inline(__always)
    func visit(_ slot: Slot) -> UInt32 {
        let (exchange, stage) = (pointer, steering.stage)
        let callee = pipeline.tables.steering(stage)[slot.index]
        let code = calling(callee.slot, stage.hook) { callee.function(callee.instance, exchange) }
        steering.visit = .first
        return code
    }

    /// Calls `onClose`.
    @inline(never)
    func callClose(_ slot: Slot, _ outcome: TurnOutcome) {
        let exchange = pointer
        let callee = pipeline.tables.close.callees[slot.index]
        let start = beginCall(of: slot)
        calling(callee.slot, .onClose) { callee.function(callee.instance, exchange, outcome.rawValue) }
        if let start { tell(start.call(outcome.name, of: slot, "\(CalledHook.onClose)", .first, [])) }
    }

    /// Calls a plugin's hook. During the call, the functions of the host act for this plugin.
    @inline(__always)
    func calling<Result>(_ slot: Unmanaged<Slot>, _ hook: CalledHook, _ call: () -> Result) -> Result {
        // The call may be within another one: a hook that publishes an event waits for its listeners.
        let outer = frame
        frame = CallFrame(slot, hook)
        let outerExchange = home.calling
        home.calling = self
        let index = slot._withUnsafeGuaranteedRef { $0.index }
        // Unmanaged to avoid reference counting: the loop keeps the object.
        let result = Unmanaged.passUnretained(home.containment)
            ._withUnsafeGuaranteedRef { $0.call(index, hook, call) }
        home.calling = outerExchange
        frame = outer
        clearViews(after: outer)
        return result
    }

    /// Calls one hook of several plugins, one after the other; what is the same for all calls is done once. Each call
    /// begins with `begin`. Not for calls that are measured or traced.
    ///
    /// - Parameter calls: It gets the round, and the call that was under way before, for `clearViews`.
    @inline(__always)
    func inRound<Result>(
        _ hook: CalledHook, _ calls: (_ round: CallMark.Round, _ outer: CallFrame) -> Result
    ) -> Result {
        let outer = frame
        frame.isSteering = hook.isSteering
        let outerExchange = home.calling
        home.calling = self
        let round = Unmanaged.passUnretained(home.containment)._withUnsafeGuaranteedRef { $0.beginRound() }
        let result = calls(round, outer)
        round.end()
        home.calling = outerExchange
        frame = outer
        clearViews(after: outer)
        return result
    }

    /// Called when a call has returned. Drops what was kept for it, unless it was within another call.
    @inline(__always)
    func clearViews(after outer: CallFrame) {
        if views.isInUse { dropViews(after: outer) }
    }

    // Not inlined, because most calls use nothing.
    @inline(never)
    private func dropViews(after outer: CallFrame) {
        if outer.isEmpty { views.clear(home) }
    }

    /// Begins the next call of a round.
    @inline(__always)
    func begin<Function>(_ callee: Callee<Function>, _ round: CallMark.Round) {
        round.begin(callee.mark)
        frame.caller = callee.slot
    }

    /// Whether the configuration asks to measure calls.
    @inline(__always)
    var isMeasured: Bool { Unmanaged.passUnretained(home.containment)._withUnsafeGuaranteedRef { $0.isMeasured } }

    /// True after a hook that lets the head pass and leaves nothing for the kernel to do.
    @inline(__always)
    func hasLeftNothing(_ code: UInt32) -> Bool {
        code == PLUG_VERDICT_NEXT && (!draft.isUsed || hasDraftNothing)
    }

    // Not inlined, because most hooks leave no draft at all.
    @inline(never)
    private var hasDraftNothing: Bool { draft.isEmpty && !request.isEditedOutward }

    /// Matches the number that the hook returned with the payload that it left, and tells of the call.
    func settle(_ code: UInt32, of slot: Slot, _ reason: Visit, _ start: HookCallStart?) -> Decision {
        let edits = start?.edits(self) ?? []
        let (decision, isFault) = settle(code, of: slot, reason)
        heldBody = nil
        draft = HookDraft()
        if slot.isSkippedOnFault && !decision.isPause { beforeFault = nil }
        if let start {
            tell(start.call(isFault ? "fault" : decision.words, of: slot, "\(steering.stage.hook)", reason, edits))
        }
        return decision
    }

    private func settle(_ code: UInt32, of slot: Slot, _ reason: Visit) -> (Decision, isFault: Bool) {
        let payload = draft.payload
        draft.payload = nil
        let decision: Decision
        var isFault = false
        do throws(Misbehaviour) {
            decision = try checked(code, payload, slot, reason)
        } catch {
            decision = handle(error, of: slot)
            isFault = true
        }
        if case .resend = decision {
            request.keepEdit(of: slot.index)
        } else if !decision.isPause {
            request.undoEdit()
        }
        if case .wait = decision { return (decision, isFault) }
        if case .wait(let ticket, _) = payload { home.tickets.remove(ticket) }
        if steering.stage == .request {
            if case .next = decision {} else if case .hold = decision {} else { dropUnopenedState(of: slot) }
        }
        return (decision, isFault)
    }

    /// Releases what a plugin kept for a turn that its verdict did not open.
    private func dropUnopenedState(of slot: Slot) {
        if !steering.turns.contains(slot.bit) { setTurnState(nil, of: slot.index) }
    }

    /// How a plugin has broken the rules: a clause after "at fault in a hook".
    private struct Misbehaviour: Error { let clause: String }

    private func checked(
        _ code: UInt32, _ payload: Decision?, _ slot: Slot, _ reason: Visit
    ) throws(Misbehaviour) -> Decision {
        let missing = restoreTakenBodies()
        // Code that panicked could not give back the bodies that it had taken, so the panic is reported instead.
        if code == PLUG_VERDICT_FAULT, case .fail(let error)? = payload { throw Misbehaviour(clause: error.reason) }
        if let missing { throw Misbehaviour(clause: missing) }
        switch (code, payload) {
        case (PLUG_VERDICT_NEXT, _): return .next
        case (PLUG_VERDICT_HOLD, .hold?) where reason == .held || reason == .overLimit:
            throw Misbehaviour(clause: "it asked to hold a body again that it was just given")
        case (PLUG_VERDICT_RESPOND, let payload?), (PLUG_VERDICT_RESEND, let payload?),
            (PLUG_VERDICT_HOLD, let payload?),
            (PLUG_VERDICT_WAIT, let payload?), (PLUG_VERDICT_FAIL, let payload?):
            guard payload.code == code else { break }
            guard case .fail(var error) = payload else { return payload }
            error.plugin = slot.id
            error.attempt = attempts.last
            return .fail(error)
        default: break
        }
        throw Misbehaviour(
            clause: (PLUG_VERDICT_NEXT...PLUG_VERDICT_REFUSED).contains(code)
                ? draft.refusal ?? "it returned the verdict \(code) without its payload"
                : "it returned \(code), which is not a verdict")
    }

    /// Handles a broken rule: fails the exchange, or skips the plugin, as its configuration says.
    private func handle(_ misbehaviour: Misbehaviour, of slot: Slot) -> Decision {
        let fault = "at fault in \(steering.stage.hook): \(misbehaviour.clause)."
        // The log names the plugin by itself.
        core.log.write(.error, slot.id, fault)
        report(.pluginFaulted, [("plugin", .text(slot.id)), ("hook", .text("\(steering.stage.hook)"))])
        core.count(faultOf: slot, in: self)
        guard let before = beforeFault else {
            return .fail(
                PlugboardError(
                    .pluginFault, "The plugin \(slot.id) is \(fault)", plugin: slot.id, attempt: attempts.last))
        }
        request.goBack(to: before.request)
        // The plugin has wrapped the body, and its wrapper is dropped now.
        if let body = before.response?.body, body !== response?.body { body.reclaim() }
        response = before.response
        return .next
    }

    /// Drops a decision that is not carried out, because the hook has ended its own exchange.
    func drop(_ decision: Decision) {
        if case .wait(let ticket, _) = decision { home.tickets.remove(ticket) }
        decision.drop()
    }

    // MARK: What the host's functions leave during a call

    /// Keeps the payload of a verdict; an earlier one is dropped.
    func keep(_ payload: Decision) {
        dropPayload()
        draft.payload = payload
    }

    private func dropPayload() {
        guard let payload = draft.payload.take() else { return }
        drop(payload)
    }

    /// Refuses a verdict, and keeps the reason. It is a fault if the hook returns what this returns.
    func refuse(_ name: String, _ reason: String) -> plug_verdict {
        // The last call counts: an earlier payload must not stand in for the refused one.
        dropPayload()
        draft.refusal = "its \(name) was refused: \(reason)"
        return PLUG_VERDICT_REFUSED
    }

    /// Called before a hook edits the request.
    func willEditRequest() {
        if steering.stage != .request {
            draft.isUsed = true
            request.willEditOutward()
        } else if let slot = frame.slotIndex, !pipeline.outwardSlots.isDisjoint(with: .before(slot)) {
            request.willEdit(at: slot, body: draft.takenRequestBody ?? request.body)
        }
    }
}
