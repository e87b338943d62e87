import Plugboard
import PlugboardAuthenticationOptions
import PlugboardEventLoop
import TestSupport
import Testing

struct AuthenticationCommandTests {
    private let clock = ManualClock()

    @Test(arguments: Linkage.allCases)
    func `status lists the secrets' origins, and does not contain secrets`(linkage: Linkage) async throws {
        let kernel = try kernel(linkage, MockTransport(responding: ["t1"]))
        for url in ["http://a.test/", "http://b.test/x", "http://a.test/y"] {
            _ = try await kernel.send(Request(.get, url))
        }
        clock.advance(by: .seconds(40))

        let status = try #require(try await kernel.authentication.status().first)

        #expect(status.origins == ["http://a.test", "http://b.test"])
        #expect(status.scheme == .bearer && status.source == "endpoint")
        #expect(status.condition == .good && !status.isFetching && status.expiresIn == .seconds(60))
    }

    @Test(arguments: Linkage.allCases)
    func `refresh fetches the secrets again, and forget drops them`(linkage: Linkage) async throws {
        let transport = MockTransport(responding: ["t1", "t2", "t3"])
        let kernel = try kernel(linkage, transport)

        try await kernel.authentication.refresh()
        _ = try await kernel.send(Request(.get, "http://a.test/"))
        try await kernel.authentication.refresh(origin: Origin("http://a.test"))
        try await kernel.authentication.refresh(origin: Origin("http://c.test"))
        _ = try await kernel.send(Request(.get, "http://a.test/"))
        try await kernel.authentication.forget()
        let status = try await kernel.authentication.status()
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(transport.credentials(to: "a.test") == ["Bearer t1", "Bearer t2", "Bearer t3"])
        #expect(status.isEmpty)
    }

    @Test(arguments: Linkage.allCases)
    func `a failed refresh fails the command`(linkage: Linkage) async throws {
        let kernel = try kernel(linkage, MockTransport(responding: ["t1"]))
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        let error = await #expect(throws: PlugboardError.self) { _ = try await kernel.authentication.refresh() }
        let malformed = await #expect(throws: PlugboardError.self) {
            try await kernel.command("authentication", "refresh", #"{"origin": "a.test"}"#)
        }

        #expect(error?.code == .authenticationRefresh)
        #expect(malformed?.code == "command.failed")
    }

    @Test func `a reply to status without credentials is an error`() async {
        let error = await #expect(throws: PlugboardError.self) {
            try await ReplyingCommands(.json("{}")).authentication.status()
        }

        #expect(error?.code == .commandReply)
    }

    private func kernel(_ linkage: Linkage, _ transport: MockTransport) throws -> Kernel {
        let section = Setup.client(of: "http://login.test/token")
        return try Setup.kernel(
            linkage, transport, origins: ["http://a.test": section, "http://b.test": section], clock: clock)
    }
}

extension MockTransport {
    /// An endpoint at login.test that sends these tokens, valid for 100 s, and then fails.
    fileprivate convenience init(responding tokens: [String]) {
        let asked = Gate()
        self.init { request, _ in
            guard request.url.contains("login.test") else { return .respond(200) }
            asked.admit()
            guard tokens.indices.contains(asked.admitted - 1) else { return .respond(500) }
            return .respond(200, Fields(), [Setup.token(tokens[asked.admitted - 1], lifetime: 100)])
        }
    }
}
