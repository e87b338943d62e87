import CPlugboard
import PlugboardKit

/// What a hook decided, with its payload.
enum Decision {
    case next
    case respond(Answered)
    case resend(Duration)
    case hold(Int)
    case wait(UInt64, deadline: Int64?)
    case fail(PlugboardError)
}

/// Calling a hook, and holding it to the rules.
extension Exchange {
    func visit(_ place: Place) -> Decision {
        switch stage {
        case .request: remember(before: place)
        case .response, .failure: recall(for: place)
        }
        var code = PLUG_NEXT
        calling(place, isSteering: true) { code = place.call(stage, pointer) }
        visit = .first
        let decision = settle(code, of: place)
        heldBody = nil
        return decision
    }

    /// Makes a plugin the one that the host's functions act for, for the time of a call.
    func calling(_ place: Place, isSteering: Bool = false, _ call: () -> Void) {
        let outer = (self.place, self.isSteering)
        (self.place, self.isSteering) = (place, isSteering)
        call()
        (self.place, self.isSteering) = outer
        if outer.0 == nil && usesScratch {
            scratch.clear()
            usesScratch = false
        }
    }

    /// Matches the number that the hook returned with the payload that it left.
    private func settle(_ code: UInt32, of place: Place) -> Decision {
        let payload = payload
        self.payload = nil
        let decision = checked(code, payload, place)
        if case .resend = decision {
            urlBeforeResend = requestBeforeEdit?.request.url
            requestBeforeEdit = nil
        } else if let before = requestBeforeEdit {
            (request, requestBody, requestBeforeEdit) = (before.request, before.body, nil)
        }
        if case .wait = decision { return decision }
        if case .wait(let ticket, _) = payload { core.tickets.remove(ticket) }
        if stage == .request {
            if case .next = decision {} else if case .hold = decision {} else { dropUnopenedState(of: place) }
        }
        return decision
    }

    private func checked(_ code: UInt32, _ payload: Decision?, _ place: Place) -> Decision {
        if let fault = restoreBodies() { return self.fault(fault, of: place) }
        switch (code, payload) {
        case (PLUG_NEXT, _): return .next
        case (PLUG_FAULT, .fail(let error)?): return fault(error.reason, of: place)
        case (PLUG_RESPOND, .respond?), (PLUG_RESEND, .resend?), (PLUG_HOLD, .hold?), (PLUG_WAIT, .wait?):
            return payload ?? .next
        case (PLUG_FAIL, .fail(var error)?):
            error.plugin = place.id
            error.attempt = attempts == 0 ? nil : attempts
            return .fail(error)
        case (PLUG_RESPOND...PLUG_FAULT, _):
            return fault("returned the verdict \(code) without its payload, or one that was refused", of: place)
        default:
            return fault("returned \(code), which is no verdict", of: place)
        }
    }

    /// A body that was taken must have been given back, or another in its place.
    private func restoreBodies() -> String? {
        defer { (takenRequestBody, takenResponseBody) = (nil, nil) }
        if let taken = takenRequestBody {
            requestBody = taken
            return "took the request's body and gave none in its place"
        }
        if let taken = takenResponseBody {
            response?.body = taken
            return "took the response's body and gave none in its place"
        }
        return nil
    }

    /// A plugin that breaks the rules fails the exchange, or is passed over, as its configuration says.
    private func fault(_ what: String, of place: Place) -> Decision {
        let text = "The plugin \(place.id) is at fault in \(stage.hookName): it \(what)."
        core.log.write(.error, place.id, text)
        if place.isSkippedOnFault { return .next }
        return .fail(PlugboardError(.pluginFault, text, plugin: place.id, attempt: attempts == 0 ? nil : attempts))
    }

    // MARK: The request as each place sees it

    /// Keeps the request for those further out, who must see it unedited by this one.
    private func remember(before place: Place) {
        guard pipeline.hasOutwardHooks, visit == .first else { return }
        versions.append(Version(place: place.index, request: request, body: requestBody))
    }

    /// Goes back to the request as this place passed it inward: to before the first call further in.
    private func recall(for place: Place) {
        while let version = versions.last, version.place > place.index {
            (request, requestBody) = (version.request, version.body)
            versions.removeLast()
        }
    }

    /// An outward hook is about to edit the request, in view of a resend.
    func willEditRequest() {
        if stage != .request && requestBeforeEdit == nil {
            requestBeforeEdit = Version(place: 0, request: request, body: requestBody)
        }
    }
}

extension Stage {
    var hookName: String {
        switch self {
        case .request: "on_request"
        case .response: "on_response"
        case .failure: "on_failure"
        }
    }
}
