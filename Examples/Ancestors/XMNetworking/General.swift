import PlugboardEndpoints
import PlugboardPropertyList
import PlugboardProtobuf
import PlugboardXML

/// Common settings of all requests, unless they turn them off.
func general(_ server: String) -> ClientSettings {
    var settings = ClientSettings(base: server, cdn: "\(server)/cdn", pathPrefix: "v1")
    settings.fields["X-Platform"] = "linux"
    settings.parameters = ["lang": "en"]
    settings.userInfo = ["screen": "home"]
    // Process each request before it is sent: its parameters, its URL, and the whole request.
    settings.parameterAdapters = [
        ParameterAdapter { parameters, context in
            if context.labels.category == "versioned" { parameters["version"] = 2 }
        },
        ParameterAdapter { parameters, _ in
            if parameters["version"] != nil { parameters["beta"] = false }
        },
    ]
    settings.urlAdapters = [
        URLAdapter { url, context in if context.labels.category == "versioned" { url += "&signed" } },
        URLAdapter { url, _ in if url.hasSuffix("&signed") { url += "=1" } },
    ]
    settings.requestAdapters = [
        RequestAdapter { request, context in request["X-Screen"] = context.labels.userInfo["screen"] as? String },
        RequestAdapter { request, _ in request["X-Signature"] = "\(request.method) \(request["X-Screen"] ?? "none")" },
    ]
    // Processes each response: an error of the server is an error, whatever the status.
    settings.responseHooks = [
        { outcome in
            guard outcome.error == nil, let reason = outcome.response?["X-Refusal"] else { return }
            outcome.error = PlugboardError(reason == "session" ? .sessionOver : .refused, "Refused: \(reason).")
        }
    ]
    // The judge decides: success, failure, or neither.
    settings.judge = { outcome in
        if outcome.response?["X-Nothing-New"] != nil { return .ignore }
        if outcome.response?["X-Limit"] != nil { return .failure(PlugboardError(.refused, "Too many requests.")) }
        return outcome.verdict
    }
    // Selected by the content type of the response, unless the request names one.
    settings.codecs = [.json, .propertyList, .xml, .protobuf, .form, .text, .raw]
    // Receives every error. Nil suppresses the callbacks of a failure.
    settings.errorHandler = { error, context in
        print("! \(context.endpoint.endpointName): \(error.code)")
        return error.code == .sessionOver ? nil : error
    }
    return settings
}

extension PlugboardError.Code {
    /// The server refuses the request.
    static let refused: Self = "com.example.refused"
    /// The user has to log in again, which the central error handler starts.
    static let sessionOver: Self = "com.example.sessionOver"
}

struct User: Decodable, Sendable {
    let id: Int
    let name: String
}
