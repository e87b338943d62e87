import CPlugboard
import PlugboardKit

/// What a hook decided, with its payload.
enum Decision {
    case next
    case respond(OutwardResponse)
    case resend(Duration)
    case hold(Int)
    case wait(UInt64, deadline: Int64?)
    case fail(PlugboardError)

    /// The same hook runs again.
    var isPause: Bool {
        switch self {
        case .hold, .wait: true
        default: false
        }
    }

    /// Nobody will carry it out.
    func drop() {
        if case .respond(let answer) = self { answer.body?.release() }
    }
}

/// Calling a hook, and holding it to the rules.
extension ExchangeCore {
    func visit(_ slot: Slot) -> Decision {
        if stage != .request { recall(for: slot) }
        let reason = visit
        if slot.isSkippedOnFault && beforeFault == nil {
            beforeFault = BeforeFault(request: request, body: requestBody, response: response)
        }
        let decision: Decision
        if let trace {
            let start = HookCallStart(self, slot, trace)
            let code = call(slot)
            let edits = start.edits(self)
            decision = settle(code, of: slot, reason)
            tell(decision, of: slot, reason, start, edits)
        } else {
            decision = settle(call(slot), of: slot, reason)
        }
        heldBody = nil
        if slot.isSkippedOnFault && !decision.isPause { beforeFault = nil }
        return decision
    }

    /// Calls the hook, which finds `visit`.
    private func call(_ slot: Slot) -> UInt32 {
        let exchange = pointer
        var code = PLUG_NEXT
        calling(slot, stage.hook) { code = slot.call(stage, exchange) }
        visit = .first
        return code
    }

    /// Makes a plugin the one that the host's functions act for, for the time of a call.
    @inline(__always)
    func calling(_ slot: Slot, _ hook: CalledHook, _ call: () -> Void) {
        let outer = (caller, isSteering)
        // Another plugin may see other attributes.
        let outerList = attributeList
        (caller, isSteering, attributeList) = (Unmanaged.passUnretained(slot), hook.isSteering, nil)
        core.calling(slot, hook, call)
        (caller, isSteering, attributeList) = (outer.0, outer.1, outerList)
        if outer.0 == nil && usesScratch {
            scratch.clear()
            usesScratch = false
        }
    }

    /// Matches the number that the hook returned with the payload that it left.
    private func settle(_ code: UInt32, of slot: Slot, _ reason: Visit) -> Decision {
        if code == PLUG_NEXT, hasLeftNothing { return .next }
        let payload = payload
        self.payload = nil
        defer { refusal = nil }
        let decision = checked(code, payload, slot, reason)
        if case .resend = decision {
            // Further out, the request is as it was before this plugin's edits.
            if versions.last.map({ $0.slot < slot.index }) ?? true {
                let before = requestBeforeEdit ?? Version(slot: 0, request: request, body: requestBody)
                versions.append(Version(slot: slot.index, request: before.request, body: before.body))
            }
            urlBeforeResend = requestBeforeEdit?.request.url
            requestBeforeEdit = nil
        } else if !decision.isPause {
            undoRequestEdit()
        }
        if case .wait = decision { return decision }
        if case .wait(let ticket, _) = payload { core.tickets.remove(ticket) }
        if stage == .request {
            if case .next = decision {} else if case .hold = decision {} else { dropUnopenedState(of: slot) }
        }
        return decision
    }

    /// A hook that does nothing, as most do most of the time, costs next to nothing.
    private var hasLeftNothing: Bool {
        payload == nil && refusal == nil && requestBeforeEdit == nil && takenRequestBody == nil
            && takenResponseBody == nil
    }

    private func checked(_ code: UInt32, _ payload: Decision?, _ slot: Slot, _ reason: Visit) -> Decision {
        let missing = restoreBodies()
        // Code that broke could not give back what it had taken: how it broke says more.
        if code == PLUG_FAULT, case .fail(let error)? = payload { return fault(error.reason, of: slot) }
        if let missing { return fault(missing, of: slot) }
        switch (code, payload) {
        case (PLUG_NEXT, _): return .next
        case (PLUG_HOLD, .hold?) where reason == .held || reason == .overLimit:
            return fault("it asked to hold a body again that it was just given", of: slot)
        case (PLUG_RESPOND, .respond?), (PLUG_RESEND, .resend?), (PLUG_HOLD, .hold?), (PLUG_WAIT, .wait?):
            return payload ?? .next
        case (PLUG_FAIL, .fail(var error)?):
            error.plugin = slot.id
            error.attempt = attempts == 0 ? nil : attempts
            return .fail(error)
        case (PLUG_RESPOND...PLUG_FAULT, _):
            return fault(refusal ?? "it returned the verdict \(code) without its payload", of: slot)
        default:
            return fault("it returned \(code), which is no verdict", of: slot)
        }
    }

    /// A body that was taken must have been given back, or another in its place.
    private func restoreBodies() -> String? {
        defer { (takenRequestBody, takenResponseBody) = (nil, nil) }
        if let taken = takenRequestBody {
            requestBody = taken
            return "it took the request's body and gave none in its place"
        }
        if let taken = takenResponseBody {
            response?.body = taken
            taken.reclaim()
            return "it took the response's body and gave none in its place"
        }
        return nil
    }

    /// A plugin that breaks the rules fails the exchange, or is passed over, as its configuration says.
    private func fault(_ what: String, of slot: Slot) -> Decision {
        let fault = "at fault in \(stage.hook): \(what)."
        let text = "The plugin \(slot.id) is \(fault)"
        // The log says whose line it is.
        core.log.write(.error, slot.id, fault)
        report(.pluginFaulted, [("plugin", .text(slot.id)), ("hook", .text("\(stage.hook)"))])
        core.count(faultOf: slot, in: self)
        faultTold = trace != nil
        if let before = beforeFault {
            (request, requestBody, requestBeforeEdit) = (before.request, before.body, nil)
            // It put a source around it, which goes now.
            if let body = before.response?.body, body !== response?.body { body.reclaim() }
            response = before.response
            return .next
        }
        return .fail(PlugboardError(.pluginFault, text, plugin: slot.id, attempt: attempts == 0 ? nil : attempts))
    }

    // MARK: The request as each slot sees it

    /// Goes back to the request as this slot passed it inward: to before the first edit further in.
    private func recall(for slot: Slot) {
        while let version = versions.last, version.slot > slot.index {
            if requestBody !== version.body { requestBody?.release() }
            (request, requestBody) = (version.request, version.body)
            versions.removeLast()
        }
    }

    /// What an outward hook edited counts only if it resends.
    func undoRequestEdit() {
        guard let before = requestBeforeEdit else { return }
        (request, requestBody, requestBeforeEdit) = (before.request, before.body, nil)
    }

    /// Leaves what a verdict carries; what an earlier one left is dropped.
    func leave(_ payload: Decision) {
        if case .wait(let old, _)? = self.payload { core.tickets.remove(old) }
        self.payload?.drop()
        self.payload = payload
    }

    /// Gives a verdict back that cannot be, and keeps why: returned all the same, it is a fault.
    func refuse(_ verdict: UInt32, _ name: String, _ reason: String) -> UInt32 {
        refusal = "its \(name) was refused: \(reason)"
        return verdict
    }

    /// A hook is about to edit the request: inward, what it was is kept for those further out, who must see it unedited;
    /// outward, in case that it does not resend.
    func willEditRequest() {
        if stage != .request {
            if requestBeforeEdit == nil { requestBeforeEdit = Version(slot: 0, request: request, body: requestBody) }
        } else if let slot, pipeline.hasOutwardHooks, versions.last.map({ $0.slot < slot.index }) ?? true {
            versions.append(Version(slot: slot.index, request: request, body: takenRequestBody ?? requestBody))
        }
    }
}
