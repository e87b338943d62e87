import AuthenticationPlugin
import EventLoop
import JSON
import Plugboard
import PluginLoader
import TestSupport
import Transporting

/// What the exchanges of these tests have in common.
enum Setup {
    /// A kernel with the plugin, and with what the sections of origins say to it, by the attributes' own names.
    static func kernel(
        _ linkage: Linkage, _ transport: (any Transport)? = nil, origins: [String: [String: String]] = [:],
        settings: JSONObject = [:], beside scripted: [ScriptedPlugin] = [], log: KernelLog = .silent,
        clock: ManualClock? = nil
    ) throws -> Kernel {
        let path = linkage == .loaded ? try Products.library("plugboard-authentication") : nil
        let entry = PluginEntry(id: "authentication", path: path, settings: settings)
        var sections: [Origin: Attributes] = [:]
        for (origin, own) in origins {
            var attributes = Attributes()
            for (name, value) in own { attributes["authentication.\(name)"] = value }
            if let origin = Origin(origin) { sections[origin] = attributes }
        }
        return try Kernel(
            configuration: Configuration(
                plugins: [entry] + scripted.map { PluginEntry($0.id) }, origins: sections),
            catalog: Catalog((linkage == .linked ? [authenticationPlugin()] : []) + scripted.map(\.descriptor)),
            loader: .dynamic, transport: transport, log: log, clock: clock)
    }

    /// What a section says for tokens of an endpoint that wants a client's secret.
    static func client(of endpoint: String) -> [String: String] {
        ["scheme": "oauth", "tokenURL": endpoint, "clientID": "client", "clientSecret": "client-secret"]
    }

    static func token(_ token: String, lifetime: Int? = nil, refreshToken: String? = nil) -> String {
        let lifetime = lifetime.map { #", "expires_in": \#($0)"# } ?? ""
        let refreshToken = refreshToken.map { #", "refresh_token": "\#($0)""# } ?? ""
        return #"{"access_token": "\#(token)", "token_type": "bearer"\#(lifetime)\#(refreshToken)}"#
    }

    static func failure(of kernel: Kernel, _ request: Request) async throws -> PlugboardError {
        do throws(PlugboardError) {
            _ = try await kernel.send(request)
        } catch {
            return error
        }
        throw PlugboardError("test", "The request succeeded.")
    }
}

extension MockTransport {
    /// What the requests to a host carried as `Authorization`, in order; none shows as a dash.
    func credentials(to host: String) -> [String] {
        requests.filter { $0.url.contains("//\(host)/") }.map { $0.fields[.authorization] ?? "-" }
    }
}
