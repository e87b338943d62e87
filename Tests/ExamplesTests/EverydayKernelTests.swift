import Plugboard
import TestSupport
import Testing

/// `Kernel(plugins: .everyday)`.
struct EverydayKernelTests {
    @Test func `it follows redirects, decodes, keeps cookies and retries`() async throws {
        let server = try LoopbackServer.responding { request in
            switch request.path {
            case "/": ServerResponse(status: 302, fields: [("Location", "/next"), ("Set-Cookie", "a=1")])
            case "/next": ServerResponse(body: "\(request["Cookie"] ?? "") \(request["Accept-Encoding"] ?? "")")
            default: ServerResponse(status: 404)
            }
        }
        defer { server.stop() }
        let kernel = try Kernel(plugins: .everyday + [.cache { $0.persistence = .memory }])

        let text = try await kernel.send(Request(.get, server.url("/"))).body.text()

        #expect(text.hasPrefix("a=1 ") && text.contains("gzip"))
        #expect(kernel.plugins.map(\.id) == ["decode", "redirect", "cookies", "cache", "retry"])
        await kernel.shutDown()
    }
}
