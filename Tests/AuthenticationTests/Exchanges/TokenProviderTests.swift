import Plugboard
import PlugboardAuthentication
import PlugboardEventLoop
import TestSupport
import Testing

/// Tokens that closures of the program return.
struct TokenProviderTests {
    private struct Broken: Error { let password = "hunter2" }

    private let clock = ManualClock()

    @Test func `a closure of the program is called once for all that wait, and again after a rejection`() async throws {
        let calls = Gate()
        let transport = MockTransport { request, _ in
            request.fields[.authorization] == "Bearer t1" ? .respond(401) : .respond(200)
        }
        let kernel = try kernel(transport) {
            calls.admit()
            return AccessToken("t\(calls.admitted)", lifetime: .seconds(60))
        }

        let first = try await kernel.send(Request(.get, "http://a.test/"))
        let second = try await kernel.send(Request(.get, "http://a.test/"))
        let status = try #require(try await kernel.authentication.status().first)
        clock.advance(by: .seconds(61))
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(first.status == 200 && second.status == 200)
        #expect(transport.credentials(to: "a.test").prefix(3) == ["Bearer t1", "Bearer t2", "Bearer t2"])
        #expect(calls.admitted == 3)
        #expect(status.source == "provider" && status.condition == .good && status.expiresIn == .seconds(60))
    }

    @Test func `a request can name a closure`() async throws {
        let transport = MockTransport()
        let kernel = try kernel(transport) { AccessToken("own") }
        var request = Request(.get, "http://b.test/")
        request.authentication.bearer(from: "account")

        _ = try await kernel.send(request)

        #expect(transport.credentials(to: "b.test") == ["Bearer own"])
    }

    @Test func `a closure that throws or does not return fails the exchange, and its error is not printed`()
        async throws
    {
        let throwing = try kernel(MockTransport()) { throw Broken() }
        let begun = Gate()
        let silent = try kernel(MockTransport()) {
            begun.admit()
            // Ends when the plugin cancels it, which is what is tested, and never by itself.
            try await Task.sleep(for: .seconds(3600))
            return AccessToken("late")
        }

        let thrown = try await Setup.failure(of: throwing, Request(.get, "http://a.test/"))
        let exchange = silent.begin(Request(.get, "http://a.test/"))
        try await begun.opened()
        clock.advance(by: .seconds(31))
        let late = await #expect(throws: PlugboardError.self) { try await exchange.response }

        #expect(thrown.code == .authenticationRefresh && late?.code == .authenticationRefresh)
        #expect(thrown.reason.contains("the token provider account failed: Broken"))
        #expect(!thrown.reason.contains("hunter2"))
        #expect(late?.reason.contains("did not return within 30s") == true)
    }

    @Test func `a section that names no closure of the program is refused`() throws {
        let error = #expect(throws: PlugboardError.self) {
            try Kernel(configuration: section("acount"), plugins: [.authentication(tokenProviders: ["account": token])])
        }
        let none = #expect(throws: PlugboardError.self) {
            try Kernel(configuration: section("account"), plugins: [.authentication])
        }

        #expect(
            error?.reason.contains("authentication.tokenProvider is acount, and the program gives only account") == true
        )
        #expect(none?.reason.contains("give them with .authentication(tokenProviders:)") == true)
    }

    private let token: TokenProvider = { AccessToken("t") }

    private func section(_ provider: String) -> Configuration {
        Configuration(origins: [
            "http://a.test": ["authentication.scheme": "bearer", "authentication.tokenProvider": provider]
        ])
    }

    private func kernel(_ transport: MockTransport, _ provider: @escaping TokenProvider) throws -> Kernel {
        try Kernel(
            configuration: section("account"), plugins: [.authentication(tokenProviders: ["account": provider])],
            transport: transport, log: .silent, clock: clock)
    }
}
