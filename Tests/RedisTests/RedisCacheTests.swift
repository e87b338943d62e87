import Foundation
import Plugboard
import PlugboardCache
import PlugboardRedis
import TestSupport
import Testing

/// Caches of two kernels that share their responses by redis.
@Suite(.enabled(if: RedisProcess.isAvailable, RedisProcess.skipped))
struct RedisCacheTests {
    private static let long = String(repeating: "0123456789abcdef", count: 50_000)

    private let transport = MockTransport { _, number in
        .respond(200, ["Cache-Control": "max-age=600"], ["response \(number)", long])
    }

    private func kernel(_ server: RedisProcess, _ linkage: Linkage) throws -> Kernel {
        try linkage.kernel(
            redisPlugin(), transport, settings: ["url": .string(server.url), "silence": "20s"],
            also: [.cache { $0.persistence = .shared }])
    }

    private func get(_ kernel: Kernel) async throws -> String {
        try await kernel.send(Request(.get, "http://a.test/")).body.text()
    }

    /// Waits until the kernel has the response, which a busy machine may make it miss.
    private func until(_ kernel: Kernel, _ isRight: (String) -> Bool) async throws {
        let deadline = ContinuousClock.now + Gate.patience
        while try await !isRight(get(kernel)) {
            guard ContinuousClock.now < deadline else { throw PlugboardError("test.late", "It never had it.") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test(arguments: Linkage.allCases)
    func `two kernels have one response by redis, and a purge reaches both`(linkage: Linkage) async throws {
        let server = try await RedisProcess()
        let kernels = try (0..<2).map { _ in try kernel(server, linkage) }

        let first = try await get(kernels[0])
        try await until(kernels[1]) { $0 == first }
        try await until(kernels[0]) { $0 == first }
        try await kernels[0].cache.purge(.all)
        try await until(kernels[1]) { $0 != first }
        let second = try await get(kernels[1])

        #expect(first == "response 1" + Self.long && second.hasSuffix(Self.long))
        try await until(kernels[0]) { $0 == second }
        for kernel in kernels { await kernel.shutDown() }
    }

    @Test(arguments: Linkage.allCases)
    func `no request fails while redis is stopped, killed and started again`(linkage: Linkage) async throws {
        let server = try await RedisProcess()
        let kernels = try (0..<2).map { _ in try kernel(server, linkage) }
        _ = try await get(kernels[0])

        server.signal(SIGSTOP)
        for kernel in kernels { for _ in 0..<3 { #expect(try await get(kernel).hasSuffix(Self.long)) } }
        server.signal(SIGCONT)
        for kernel in kernels { #expect(try await get(kernel).hasSuffix(Self.long)) }
        server.kill()
        for kernel in kernels { for _ in 0..<3 { #expect(try await get(kernel).hasSuffix(Self.long)) } }
        try await server.start()
        let sent = try await get(kernels[0])
        try await until(kernels[1]) { $0.hasSuffix(Self.long) }

        #expect(sent.hasSuffix(Self.long))
        for kernel in kernels { await kernel.shutDown() }
    }
}
