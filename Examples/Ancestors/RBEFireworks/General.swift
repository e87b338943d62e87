import Plugboard
import PlugboardEndpoints

/// Common settings of all requests to the service, which each request can turn off, with adapters, a hook and
/// a judge.
func general(_ server: String) -> ClientSettings {
    var settings = ClientSettings(base: server, pathPrefix: "api")
    settings.fields["X-App"] = "news"
    settings.parameters = ["lang": "en"]
    settings.userInfo = ["screen": "home"]
    settings.parameterAdapters = [
        ParameterAdapter { parameters, _ in parameters["model"] = 3 },
        ParameterAdapter { parameters, _ in if parameters["model"] != nil { parameters["beta"] = false } },
    ]
    settings.urlAdapters = [
        URLAdapter { url, _ in url += "&first" },
        URLAdapter { url, _ in url += "&second" },
    ]
    settings.requestAdapters = [
        RequestAdapter { request, context in request["X-Screen"] = context.labels.userInfo["screen"] as? String }
    ]
    settings.responseHooks = [
        { outcome in
            guard outcome.error == nil, let reason = outcome.response?["X-Refusal"] else { return }
            outcome.error = PlugboardError("com.example.refused", "Refused: \(reason).")
        }
    ]
    // The judge decides: success, failure, or neither.
    settings.judge = { outcome in
        if outcome.response?["X-Nothing-New"] != nil { return .ignore }
        if outcome.response?["X-Limit"] != nil { return .failure(PlugboardError(.limited, "Too many requests.")) }
        return outcome.verdict
    }
    // Receives every error; nil suppresses the callbacks of a failure.
    settings.errorHandler = { error, _ in error.response?.status == 401 ? nil : error }
    return settings
}

extension PlugboardError.Code {
    static let limited: Self = "com.example.limited"
}

/// Sends requests with and without the general settings. Then the hook and the judge each refuse a request, one is
/// ignored, and the central handler stops the error of one.
func useGeneral(_ kernel: Kernel, _ server: String) async throws {
    let client = Client(kernel: kernel, settings: general(server))
    var general = SimpleEndpoint("general", ["page": 1], as: String.self)
    print("general: \(try await client.send(general))")
    general.usesGeneralFields = false
    general.usesGeneralParameters = false
    general.usesGeneralUserInfo = false
    general.usesAdapters = false
    general.usesPathPrefix = false
    print("own: \(try await client.send(general))")
    print("options: \(try await client.send(Options(server: server)))")

    for path in ["refused", "limited", "nothing", "logout"] {
        let call = client.call(SimpleEndpoint(path, as: String.self))
            .onSuccess { _ in print("never printed") }
            .onFailure { print("\(path): \($0.reason)") }
            .onCompletion { _ in print("\(path) is complete") }
            .onFinished { print("\(path) has \($0)") }
        await call.ended()
        print("\(path): \(call.state)")
    }
}
