import Plugboard
import PlugboardAuthentication
import PlugboardRedis
import PlugboardRetry
import TestSupport
import Testing

/// Two kernels that have tokens and budgets in common by a server.
@Suite(.enabled(if: RedisProcess.isAvailable, RedisProcess.skipped))
struct RedisFleetTests {
    private func kernels(
        _ server: RedisProcess, _ linkage: Linkage, _ transport: MockTransport, _ entry: PluginEntry,
        _ configure: (inout Configuration) -> Void = { _ in }
    ) throws -> [Kernel] {
        try (0..<2).map { _ in
            try linkage.kernel(
                redisPlugin(), transport, settings: ["url": .string(server.url)], also: [entry], configure)
        }
    }

    @Test(arguments: Linkage.allCases)
    func `two kernels fetch one token together by redis`(linkage: Linkage) async throws {
        let server = try await RedisProcess()
        let folder = try TemporaryFolder("fleet")
        let key = try folder.write("key", String(repeating: "k", count: 32))
        let transport = MockTransport { request, _ in
            request.url.contains("login.test")
                ? .respond(200, Fields(), [#"{"access_token": "t", "token_type": "bearer", "expires_in": 60}"#])
                : .respond(200)
        }
        let kernels = try kernels(server, linkage, transport, .authentication { $0.fleetKeyFile = key }) {
            var section = Attributes()
            section["authentication.scheme"] = "oauth"
            section["authentication.tokenURL"] = "http://login.test/token"
            section["authentication.clientID"] = "c"
            section["authentication.clientSecret"] = "s"
            $0.origins = ["http://a.test": section]
        }

        for kernel in kernels { _ = try await kernel.send(Request(.get, "http://a.test/")) }

        let shared = kernels.map { $0.counters["authentication.shared"] ?? 0 }.reduce(0, +)
        #expect(transport.requests.filter { $0.url.contains("login.test") }.count == 1 && shared == 1)
        for kernel in kernels { await kernel.shutDown() }
    }

    @Test(arguments: Linkage.allCases)
    func `two kernels have one budget together by redis`(linkage: Linkage) async throws {
        let server = try await RedisProcess()
        var repetitions: Int?
        // A busy machine may need several attempts: a kernel without a reply within 50 ms acts alone.
        for _ in 0..<20 where repetitions != 5 {
            try await server.command("FLUSHALL")
            let kernels = try kernels(
                server, linkage, MockTransport { _, _ in .respond(503) },
                .retry {
                    ($0.shared, $0.attempts, $0.delay) = (true, 2, .zero)
                    ($0.budgetSize, $0.budgetPerSecond, $0.budgetShare) = (5, 0, 0)
                })
            var count = 0
            for number in 0..<20 {
                count += try await kernels[number % 2].send(Request(.get, "http://a.test/")).attempts - 1
            }
            repetitions = count
            for kernel in kernels { await kernel.shutDown() }
        }

        #expect(repetitions == 5)
    }
}
