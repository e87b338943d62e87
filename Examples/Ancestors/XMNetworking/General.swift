import PlugboardEndpoints

/// What all requests have in common, unless they say otherwise.
func general(_ server: String) -> ClientSettings {
    var settings = ClientSettings(base: server)
    settings.fields["X-Platform"] = "linux"
    settings.parameters = ["lang": "en"]
    settings.userInfo = ["screen": "home"]
    // Processes each request before it is sent.
    settings.requestAdapters = [
        RequestAdapter { request, context in
            request["X-Screen"] = context.labels.userInfo["screen"] as? String
        }
    ]
    // Processes each response: what the server calls an error is one, whatever the status.
    settings.responseHooks = [
        { outcome in
            guard outcome.error == nil, let reason = outcome.response?["X-Refusal"] else { return }
            outcome.error = PlugboardError(reason == "session" ? .sessionOver : .refused, "Refused: \(reason).")
        }
    ]
    // Gets every error. What is nil here reaches no callback of a failure.
    settings.errorHandler = { error, context in
        print("! \(context.endpoint.endpointName): \(error.code)")
        return error.code == .sessionOver ? nil : error
    }
    return settings
}

extension PlugboardError.Code {
    /// The server refuses the request.
    static let refused: Self = "com.example.refused"
    /// The user has to log in again, which the central error handler sees to.
    static let sessionOver: Self = "com.example.sessionOver"
}

struct User: Decodable, Sendable {
    let id: Int
    let name: String
}
