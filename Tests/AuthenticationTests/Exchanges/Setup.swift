import Plugboard
import PlugboardAuthentication
import PlugboardEventLoop
import PlugboardJSON
import PlugboardTransport
import TestSupport

/// Kernels, sections and results that these tests share.
enum Setup {
    /// A kernel with the plugin, and with sections of origins by attribute name.
    static func kernel(
        _ linkage: Linkage, _ transport: (any Transport)? = nil, origins: [String: [String: String]] = [:],
        settings: JSONObject = [:], also entries: [PluginEntry] = [],
        beside scripted: [ScriptedPlugin] = [], log: KernelLog = .silent,
        clock: ManualClock? = nil, connectTo: [String: String]? = nil
    ) throws -> Kernel {
        var sections: [Origin: Attributes] = [:]
        for (origin, own) in origins {
            var attributes = Attributes()
            for (name, value) in own { attributes["authentication.\(name)"] = value }
            if let origin = Origin(origin) { sections[origin] = attributes }
        }
        return try linkage.kernel(
            authenticationPlugin(), transport, clock: clock, settings: settings, beside: scripted, also: entries,
            log: log
        ) {
            $0.origins = sections
            $0.kernel.connectTo = connectTo
        }
    }

    /// A section for an endpoint that needs a client's secret.
    static func client(of endpoint: String) -> [String: String] {
        ["scheme": "oauth", "tokenURL": endpoint, "clientID": "client", "clientSecret": "client-secret"]
    }

    /// The sections of an origin whose tokens come from `login.test`.
    static let renewing = ["http://a.test": client(of: "http://login.test/token")]

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
    /// The `Authorization` fields of the requests to a host, in order; a dash for none.
    func credentials(to host: String) -> [String] {
        requests.filter { $0.url.contains("//\(host)/") }.map { $0.fields[.authorization] ?? "-" }
    }
}
