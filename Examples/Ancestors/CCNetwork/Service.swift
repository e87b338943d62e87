import PlugboardEndpoints

/// Common settings of all requests to the service.
///
/// Its responses are envelopes, `{"code": 0, "message": "", "data": …}`, whatever the status.
func service(at server: String) -> ClientSettings {
    var settings = ClientSettings(base: server, cdn: "\(server)/cdn", pathPrefix: "v1")
    settings.fields["X-App"] = "flights"
    settings.parameters = ["lang": "en"]
    settings.userInfo = ["screen": "home"]
    settings.requestCodec = FormCodec()
    settings.parameterAdapters = [
        ParameterAdapter { parameters, _ in parameters["client"] = "linux" },
        ParameterAdapter { parameters, context in
            if context.endpoint is Friends { parameters["limit"] = 10 }
        },
    ]
    settings.urlAdapters = [
        URLAdapter { url, _ in url = try Request(.get, url, query: ["version": "1.2"]).url },
        URLAdapter { url, context in url += "#\(context.endpoint.endpointName)" },
    ]
    settings.requestAdapters = [
        RequestAdapter { request, context in request["X-Screen"] = context.labels.userInfo["screen"] as? String },
        RequestAdapter { request, _ in request["X-Signature"] = "\(request.method) \(request["X-Screen"] ?? "none")" },
    ]
    settings.responseHooks = [open]
    settings.judge = { outcome in
        if outcome.response?["X-Limit"] != nil { return .failure(PlugboardError(.service, "Too many requests.")) }
        return outcome.error?.code == .unchanged ? .ignore : outcome.verdict
    }
    // Receives every error; nil suppresses the callbacks of a failure.
    settings.errorHandler = { error, _ in error.response?.status == 401 ? nil : error }
    return settings
}

extension PlugboardError.Code {
    /// The service refuses the request; the reason is the service's message.
    static let service: Self = "com.example.service"
    /// The service has no new data for the program.
    static let unchanged: Self = "com.example.unchanged"
}

/// Unwraps the data of the envelope, or makes an error of its code.
@Sendable private func open(_ outcome: inout EndpointOutcome) {
    guard outcome.error == nil, let envelope = try? outcome.response?.json else { return }
    switch envelope["code"] {
    case 0: outcome.response?.replaceBody(json: envelope["data"] ?? .null)
    case 304: outcome.error = PlugboardError(.unchanged, "Nothing is new.")
    default: outcome.error = PlugboardError(.service, envelope["message"]?.stringValue ?? "The service fails.")
    }
}
