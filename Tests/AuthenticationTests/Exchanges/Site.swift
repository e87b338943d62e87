import Plugboard
import PlugboardJSON
import Synchronization
import TestSupport

/// An API on real sockets that accepts one token at a time, and a token endpoint that sends t1, t2 and so on.
final class Site: Sendable {
    /// The accepted token, and the requests to the endpoint.
    private final class State: Sendable {
        let valid = Mutex("Bearer t1")
        let asked = Mutex(0)
    }

    let api: LoopbackServer
    let endpoint: LoopbackServer
    private let state = State()

    /// - Parameters:
    /// - challenge: The API's `WWW-Authenticate` to rejected requests.
    /// - hold: What the API waits for before it responds to a request with such an `Authorization`.
    /// - response: The endpoint's response to its n-th request, counted from 1.
    init(
        challenge: String? = "Bearer", hold: @escaping @Sendable (String) throws -> Void = { _ in },
        response: @escaping @Sendable (Int) throws -> TestSupport.ServerResponse = {
            ServerResponse(body: Setup.token("t\($0)"))
        }
    ) throws {
        endpoint = try .responding { [state] _ in
            try response(
                state.asked.withLock {
                    $0 += 1
                    return $0
                })
        }
        api = try .responding { [state] request in
            let credential = request["Authorization"] ?? ""
            try hold(credential)
            guard state.valid.withLock({ $0 }) == credential else {
                let fields = challenge.map { [("WWW-Authenticate", $0)] } ?? []
                return ServerResponse(status: 401, fields: fields, body: "rejected")
            }
            return ServerResponse(body: "\(credential) \(request.text)")
        }
    }

    /// Changes the accepted token.
    func accept(_ token: String) { state.valid.withLock { $0 = "Bearer \(token)" } }

    func stop() {
        api.stop()
        endpoint.stop()
    }

    func kernel(
        _ linkage: Linkage, settings: JSONObject = [:], beside scripted: [ScriptedPlugin] = []
    ) throws -> Kernel {
        try Setup.kernel(
            linkage, origins: [String(api.url().dropLast()): Setup.client(of: endpoint.url("/token"))],
            settings: settings, beside: scripted)
    }
}

/// Stands inside the plugin, and admits one for each 401 that goes by: the plugin's own hook runs next, within the same
/// turn of the loop.
func rejections(_ gate: Gate) -> ScriptedPlugin {
    let plugin = ScriptedPlugin("rejections", priority: 500)
    plugin.onResponse = { exchange in
        if exchange.response?.status == 401 { gate.admit() }
        return .next
    }
    return plugin
}
