import Plugboard
import PlugboardCookies
import PlugboardCookiesOptions
import PlugboardEventLoop
import PlugboardJSON
import PlugboardTransport
import TestSupport

/// Kernels with the plugin `cookies`.
enum Setup {
    /// A kernel with cookies in memory.
    static func kernel(
        _ linkage: Linkage, _ transport: (any Transport)? = nil, settings: JSONObject = [:],
        beside scripted: [ScriptedPlugin] = [], log: KernelLog = .silent
    ) throws -> Kernel {
        var all = settings
        if !all.contains("path") { all["persistence"] = "memory" }
        return try linkage.kernel(
            cookiesPlugin(), transport, settings: all, beside: scripted, log: log)
    }

    /// A kernel with a file in a folder, and a manual clock.
    static func kernel(
        in folder: TemporaryFolder, _ transport: (any Transport)? = nil, clock: ManualClock? = nil,
        settings: JSONObject = [:],
        log: KernelLog = .silent
    ) throws -> Kernel {
        var all = settings
        all["path"] = all["path"] ?? .string(folder.file("cookies.sqlite"))
        return try Linkage.linked.kernel(cookiesPlugin(), transport, clock: clock, settings: all, log: log)
    }

    /// Responds to each request with these `Set-Cookie` lines.
    static func setting(_ cookies: String...) -> MockTransport {
        MockTransport { _, _ in
            var fields = Fields()
            for cookie in cookies { fields.append(.setCookie, cookie) }
            return .respond(200, fields)
        }
    }

    /// The `Cookie` field of a request, in a transport's record.
    static func sent(_ kernel: Kernel, _ transport: MockTransport, _ request: Request) async throws -> String? {
        _ = try await kernel.send(request)
        return transport.requests.last?.fields[.cookie]
    }
}
