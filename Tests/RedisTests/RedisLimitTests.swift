import Plugboard
import PlugboardLimit
import PlugboardRedis
import TestSupport
import Testing

@Suite(.enabled(if: RedisProcess.isAvailable, RedisProcess.skipped))
struct RedisLimitTests {
    private func kernel(_ server: RedisProcess, _ linkage: Linkage) throws -> Kernel {
        try linkage.kernel(
            redisPlugin(), MockTransport(), settings: ["url": .string(server.url)],
            also: [
                .limit {
                    $0.rules = ["https://api.test": "7/h"]
                    $0.wait = .milliseconds(500)
                    $0.shared = true
                }
            ])
    }

    /// How many requests two kernels send together; nil if one has limited alone, because it had no reply within 50 ms.
    private func sent(_ server: RedisProcess, _ linkage: Linkage) async throws -> Int? {
        let kernels = try (0..<2).map { _ in try kernel(server, linkage) }
        var sent = 0
        for number in 0..<12 where sent <= 7 {
            do throws(PlugboardError) {
                _ = try await kernels[number % 2].send(Request(.get, "https://api.test/"))
                sent += 1
            } catch { #expect(error.code == .limitExceeded) }
        }
        let metrics = kernels.flatMap(\.metrics)
        for kernel in kernels { await kernel.shutDown() }
        return metrics.contains { $0.name == "limit.alone" && $0.value > 0 } ? nil : sent
    }

    @Test(arguments: Linkage.allCases)
    func `two kernels have one rate together by redis`(linkage: Linkage) async throws {
        let server = try await RedisProcess()

        var sent: Int?
        // A busy machine may need several attempts.
        for _ in 0..<20 where sent == nil {
            try await server.command("FLUSHALL")
            sent = try await self.sent(server, linkage)
        }

        #expect(sent == 7)
    }
}
