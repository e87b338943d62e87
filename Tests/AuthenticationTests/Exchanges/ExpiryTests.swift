import Plugboard
import PlugboardAuthenticationOptions
import PlugboardEventLoop
import TestSupport
import Testing

/// Secrets that expire, with a manual clock.
struct ExpiryTests {
    private let clock = ManualClock()
    private let refreshed = Gate()

    @Test(arguments: Linkage.allCases)
    func `a token is fetched again shortly before its end while the old one is used`(linkage: Linkage) async throws {
        let transport = numbering(lifetime: 100)
        let kernel = try kernel(linkage, transport, Setup.client(of: "http://login.test/token"))

        for advance in [0, 69, 2] as [Int64] {
            clock.advance(by: .seconds(advance))
            _ = try await kernel.send(Request(.get, "http://a.test/"))
        }
        try await refreshed.opened(for: 2)
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(transport.credentials(to: "a.test") == ["Bearer t1", "Bearer t1", "Bearer t1", "Bearer t2"])
        #expect(transport.credentials(to: "login.test").count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `an expired token is not sent`(linkage: Linkage) async throws {
        let transport = numbering(lifetime: 100)
        let kernel = try kernel(linkage, transport, Setup.client(of: "http://login.test/token"))

        _ = try await kernel.send(Request(.get, "http://a.test/"))
        // The wall clock has no effect.
        clock.setWallClock(.zero)
        clock.advance(by: .seconds(100))
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(transport.credentials(to: "a.test") == ["Bearer t1", "Bearer t2"])
    }

    @Test(arguments: Linkage.allCases)
    func `without a lifetime of the endpoint the section's lifetime counts`(linkage: Linkage) async throws {
        let transport = numbering(lifetime: nil)
        var section = Setup.client(of: "http://login.test/token")
        section["tokenLifetime"] = "10s"
        let kernel = try kernel(linkage, transport, section)

        _ = try await kernel.send(Request(.get, "http://a.test/"))
        clock.advance(by: .seconds(10))
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(transport.credentials(to: "a.test") == ["Bearer t1", "Bearer t2"])
    }

    @Test(arguments: Linkage.allCases)
    func `a changed file is read again after its interval, without a 401`(linkage: Linkage) async throws {
        let folder = try TemporaryFolder("token")
        let path = try folder.write("token", "one\n")
        let transport = MockTransport()
        let kernel = try kernel(linkage, transport, ["scheme": "bearer", "tokenFile": path])

        _ = try await kernel.send(Request(.get, "http://a.test/"))
        try folder.write("token", "three\n")
        _ = try await kernel.send(Request(.get, "http://a.test/"))
        clock.advance(by: .seconds(10))
        _ = try await kernel.send(Request(.get, "http://a.test/"))
        try await refreshed.opened(for: 2)
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(
            transport.credentials(to: "a.test") == ["Bearer one", "Bearer one", "Bearer one", "Bearer three"])
    }

    private func numbering(lifetime: Int?) -> MockTransport {
        let tokens = Gate()
        return MockTransport { request, _ in
            guard request.url.contains("login.test") else { return .respond(200) }
            tokens.admit()
            return .respond(200, Fields(), [Setup.token("t\(tokens.admitted)", lifetime: lifetime)])
        }
    }

    private func kernel(
        _ linkage: Linkage, _ transport: MockTransport, _ section: [String: String]
    ) throws -> Kernel {
        let watcher = ScriptedPlugin("watcher", priority: 900)
        watcher.events = ["authentication.refreshed"]
        watcher.onEvent = { [refreshed] _, _ in refreshed.admit() }
        return try Setup.kernel(
            linkage, transport, origins: ["http://a.test": section], beside: [watcher], clock: clock)
    }
}
