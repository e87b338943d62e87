import Plugboard
import TestSupport
import Testing

/// Tokens go by the route of the exchanges that they are for.
struct TokenRouteTests {
    @Test(arguments: Linkage.allCases)
    func `a token is asked for by the route of its exchanges, and used for these only`(linkage: Linkage) async throws {
        let transport = MockTransport { request, number in
            request.url.hasPrefix("https://id.test/")
                ? .respond(200, Fields(), [Setup.token("t\(number)")]) : .respond(200)
        }
        let kernel = try Setup.kernel(
            linkage, transport, origins: ["https://a.test": Setup.client(of: "https://id.test/token")])
        func send(_ change: (inout RequestOptions) -> Void) async throws {
            var request = Request(.get, "https://a.test/")
            change(&request.options)
            _ = try await kernel.send(request)
        }

        try await send { $0.unixSocket = "/run/a.sock" }
        try await send {
            $0.proxy = "http://proxy.test:1"; $0.tls.ca = "/ca.pem"; $0.tls.certificate = "/me.pem"
        }
        try await send { $0.unixSocket = "/run/a.sock" }
        try await send { _ in }

        let asked = transport.requests.filter { $0.url.hasPrefix("https://id.test/") }.map(\.options)
        #expect(asked.map(\.unixSocket) == ["/run/a.sock", nil, nil])
        #expect(asked.map(\.proxy) == [nil, "http://proxy.test:1", nil])
        #expect(asked.map(\.tls.ca) == [nil, "/ca.pem", nil] && asked.map(\.tls.certificate) == [nil, nil, nil])
        #expect(transport.credentials(to: "a.test") == ["Bearer t1", "Bearer t3", "Bearer t1", "Bearer t6"])
        await kernel.shutDown()
    }

    /// Options that matter to the token's server, and not to the exchange's own.
    private static let options: [@Sendable (inout RequestOptions) -> Void] = [
        { $0.connectTo = ["id.test:443": "127.0.0.1:1"] }, { $0.tls.verify = false },
    ]

    @Test(arguments: Linkage.allCases, 0..<2)
    func `a token is kept for the options by which its own server was reached`(
        linkage: Linkage, number: Int
    ) async throws {
        let transport = MockTransport { request, number in
            request.url.hasPrefix("https://id.test/")
                ? .respond(200, Fields(), [Setup.token("t\(number)")]) : .respond(200)
        }
        let kernel = try Setup.kernel(
            linkage, transport, origins: ["http://a.test": Setup.client(of: "https://id.test/token")])
        var request = Request(.get, "http://a.test/")
        Self.options[number](&request.options)

        _ = try await kernel.send(request)
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(transport.credentials(to: "a.test") == ["Bearer t1", "Bearer t3"])
        await kernel.shutDown()
    }
}
