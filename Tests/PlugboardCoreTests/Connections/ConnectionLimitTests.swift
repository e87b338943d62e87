import Plugboard
import PlugboardEventLoop
import PlugboardKit
import TestSupport
import Testing

@Suite struct `Connections at a time` {
    /// Begins exchanges that get no response, and returns their handles when as many as the limit allows are under
    /// way.
    private func crowd(_ count: Int, _ kernel: Kernel, _ transport: MockTransport, limit: Int) async throws
        -> [ExchangeHandle]
    {
        let handles = (0..<count).map { _ in kernel.begin(Request(.get, anywhere)) }
        try await transport.began.opened(for: limit)
        return handles
    }

    @Test func `cancelling all exchanges from another thread starts none of those that wait`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel([], transport) { $0.kernel.connections = 50 }
        let handles = try await crowd(20_000, kernel, transport, limit: 50)

        for handle in handles { handle.cancel() }
        for handle in handles { _ = try? await handle.response }

        // Connections are held back for 50 ms at most: a program that is slower to cancel lets some begin.
        #expect(transport.requests.count < 2_000)
        #expect(transport.cancelled.admitted == transport.requests.count)
    }

    @Test func `cancelling all exchanges opens no connection for those that wait`() async throws {
        let server = try LoopbackServer(.silenceBeforeHead())
        defer { server.stop() }
        var configuration = Configuration.atMost(connections: 50)
        // A loop gives a place that it has no use for to another loop, which may not know of its cancels yet.
        configuration.kernel.loops = 1
        let kernel = try Kernel(configuration: configuration, catalog: Catalog(), log: .silent)
        let handles = (0..<5000).map { kernel.begin(Request(.get, server.url("/\($0)"))) }
        _ = try await server.requests(atLeast: 50)

        for handle in handles { handle.cancel() }
        for handle in handles { _ = try? await handle.response }
        await kernel.shutDown()

        #expect(server.connectionCount == 50)
        #expect(server.requests.count == 50)
    }

    @Test func `a timeout that ends all exchanges starts none of those that wait`() async throws {
        let clock = ManualClock()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel([], transport, clock: clock) {
            $0.kernel.connections = 10
            $0.kernel.timeout = .seconds(5)
        }
        let handles = try await crowd(2_000, kernel, transport, limit: 10)
        // Until all have begun, for one that begins after the clock has moved never times out.
        await kernel.turn()

        clock.advance(by: .seconds(5))
        for handle in handles { _ = try? await handle.response }

        #expect(transport.requests.count == 10)
    }

    @Test func `a place that a cancel has freed is given to the next that waits`() async throws {
        let transport = MockTransport { _, number in number == 1 ? .silence : .respond(200) }
        let kernel = try makeKernel([], transport, clock: ManualClock()) { $0.kernel.connections = 1 }
        let first = kernel.begin(Request(.get, anywhere))
        try await transport.began.opened()
        let second = kernel.begin(Request(.get, anywhere))

        first.cancel()

        #expect(try await second.response.status == 200)
    }

    @Test func `the time for which an attempt waited is counted, and no attempt that began at once`() async throws {
        let transport = MockTransport { _, number in number == 2 ? .silence : .respond(200) }
        let clock = ManualClock()
        let kernel = try makeKernel([], transport, clock: clock) { $0.kernel.connections = 1 }
        _ = try await kernel.send(Request(.get, anywhere))
        let before = kernel.metrics.map(\.name)
        let second = kernel.begin(Request(.get, anywhere))
        try await transport.began.opened(for: 2)
        let third = kernel.begin(Request(.get, anywhere))
        await kernel.turn()

        clock.advance(by: .seconds(3))
        second.cancel()
        _ = try await third.response

        let waited = try #require(kernel.metrics.first { $0.name == "kernel.connections.waited" })
        #expect(!before.contains("kernel.connections.waited"))
        #expect(waited.kind == .histogram && waited.value == 3_000_000_000)
        #expect(waited.counts.reduce(0, +) == 1 && waited.bounds.first == 5_000_000)
    }

    @Test func `exchanges wait in the order in which they came, also when one in between leaves`() async throws {
        let transport = MockTransport { _, number in number == 1 ? .silence : .respond(200) }
        let kernel = try makeKernel([], transport) { $0.kernel.connections = 1 }
        let handles = (0..<5).map { kernel.begin(Request(.get, anywhere + "\($0)")) }
        try await transport.began.opened()

        handles[2].cancel()
        _ = try? await handles[2].response
        handles[0].cancel()
        for handle in handles { _ = try? await handle.response }

        #expect(transport.requests.map { $0.url.last } == ["0", "1", "3", "4"])
    }

    @Test(arguments: ["cancel", "timeout"])
    func `an exchange that ends while it waits is let go of at once`(ending: String) async throws {
        final class Probe: Sendable {
            let gone: Gate
            init(_ gone: Gate) { self.gone = gone }
            deinit { gone.admit() }
        }
        let gone = Gate()
        let clock = ManualClock()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel([], transport, clock: clock) { $0.kernel.connections = 1 }
        let running = kernel.begin(Request(.get, anywhere))
        try await transport.began.opened()
        var request = Request(.get, anywhere)
        request.options.timeout = .seconds(1)

        for _ in 0..<100 {
            let probe = Probe(gone)
            let handle = kernel.begin(request) { _ in withExtendedLifetime(probe) {} }
            if ending == "cancel" { handle.cancel() }
        }
        // After those that begin, for jobs of the loop keep their order.
        await kernel.turn()
        clock.advance(by: .seconds(1))

        try await gone.opened(for: 100)
        #expect(transport.requests.count == 1)
        running.cancel()
    }
}

extension Configuration {
    fileprivate static func atMost(connections: Int) -> Configuration {
        var configuration = Configuration()
        configuration.kernel.connections = connections
        return configuration
    }
}
