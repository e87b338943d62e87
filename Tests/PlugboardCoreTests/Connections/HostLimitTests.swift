import Plugboard
import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct `Connections at a time to one host` {
    private let one = "http://one.test/"
    private let two = "http://two.test/"

    private func makeKernel(
        _ transport: MockTransport, perHost: Int, all: Int = 0, clock: ManualClock? = nil,
        plugins: [ScriptedPlugin] = []
    ) throws -> Kernel {
        try TestSupport.makeKernel(plugins, transport, clock: clock) {
            $0.kernel.connectionsPerHost = perHost
            $0.kernel.connections = all
        }
    }

    @Test func `are as many as the setting says, while other hosts do not wait`() async throws {
        let transport = MockTransport { attempt, _ in attempt.url.hasPrefix("http://one") ? .silence : .respond(200) }
        let kernel = try makeKernel(transport, perHost: 3)

        let handles = (0..<100).map { kernel.begin(Request(.get, one + "\($0)")) }
        let response = try await kernel.send(Request(.get, two))

        #expect(response.status == 200)
        #expect(transport.requests.count { $0.url.hasPrefix(one) } == 3)
        for handle in handles { handle.cancel() }
    }

    @Test func `are given to those that wait in the order in which they came`() async throws {
        let transport = MockTransport()
        let kernel = try makeKernel(transport, perHost: 2)

        let handles = (0..<50).map { kernel.begin(Request(.get, one + "\($0)")) }
        for handle in handles { _ = try await handle.response.body.text() }

        #expect(transport.requests.map(\.url) == (0..<50).map { one + "\($0)" })
    }

    @Test func `are counted by scheme, host in normal form, and port`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel(transport, perHost: 1)

        let handles = [
            "http://one.test/a", "http://ONE.test.:80/b", "https://one.test/c", "http://one.test:81/d",
        ].map { kernel.begin(Request(.get, $0)) }
        try await transport.began.opened(for: 3)
        await kernel.turn()

        #expect(transport.requests.map(\.url).filter { !$0.contains("elsewhere") }.map(\.last) == ["a", "c", "d"])
        for handle in handles { handle.cancel() }
    }

    @Test func `are not limited by 0`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel(transport, perHost: 0)

        let handles = (0..<1000).map { kernel.begin(Request(.get, one + "\($0)")) }
        try await transport.began.opened(for: 1000)

        for handle in handles { handle.cancel() }
    }

    @Test func `are 64 by default`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let kernel = try TestSupport.makeKernel([], transport)

        let handles = (0..<200).map { kernel.begin(Request(.get, one + "\($0)")) }
        try await transport.began.opened(for: 64)
        await kernel.turn()

        #expect(transport.requests.count { $0.url.hasPrefix(one) } == 64)
        for handle in handles { handle.cancel() }
    }

    @Test func `are not limited once the host has responded in HTTP/2`() async throws {
        let transport = MockTransport { _, number in
            number == 1 ? .head(ResponseHead(status: 200, version: .http2)) : .silence
        }
        let kernel = try makeKernel(transport, perHost: 2)

        let handles = (0..<100).map { kernel.begin(Request(.get, one + "\($0)")) }
        try await transport.began.opened(for: 100)

        for handle in handles { handle.cancel() }
    }

    @Test func `are not limited if the host had responded in HTTP/2 before the limit was reached`() async throws {
        let transport = MockTransport { _, number in
            number == 1 ? .head(ResponseHead(status: 200, version: .http2)) : .silence
        }
        let kernel = try makeKernel(transport, perHost: 2)
        let first = kernel.begin(Request(.get, one))
        // Its body is not read, and not released.
        let response = try await first.response

        let handles = (0..<100).map { kernel.begin(Request(.get, one + "\($0)")) }
        try await transport.began.opened(for: 101)
        withExtendedLifetime(response) {}

        for handle in handles + [first] { handle.cancel() }
    }

    @Test func `are given back when the response leads to another host`() async throws {
        let transport = MockTransport { attempt, _ in
            attempt.url.hasPrefix("http://one") ? .respond(302) : .silence
        }
        let follower = ScriptedPlugin("follower")
        follower.onResponse = { exchange in
            guard exchange.response?.status == 302 else { return .next }
            exchange.request.url = "http://two.test/"
            return .resend()
        }
        let kernel = try makeKernel(transport, perHost: 2, plugins: [follower])

        let handles = (0..<10).map { kernel.begin(Request(.get, one + "\($0)")) }
        try await transport.began.opened(for: 12)
        await kernel.turn()

        #expect(transport.requests.count { $0.url.hasPrefix(one) } == 10)
        #expect(transport.requests.count { $0.url.hasPrefix(two) } == 2)
        for handle in handles { handle.cancel() }
    }

    @Test func `are given back by an exchange that is cancelled while it waits for one of all connections`()
        async throws
    {
        let transport = MockTransport { attempt, _ in attempt.url.hasSuffix("/go") ? .respond(200) : .silence }
        let kernel = try makeKernel(transport, perHost: 2, all: 3)
        let running = (0..<2).map { kernel.begin(Request(.get, two + "\($0)")) }
        try await transport.began.opened(for: 2)
        let third = kernel.begin(Request(.get, one))
        try await transport.began.opened(for: 3)
        // The second connection to one.test, and none of all three is free.
        let waiting = kernel.begin(Request(.get, one))
        let next = kernel.begin(Request(.get, one + "go"))
        await kernel.turn()

        waiting.cancel()
        running[0].cancel()

        #expect(try await next.response.status == 200)
        for handle in running + [third] { handle.cancel() }
    }

    @Test func `start none of those that wait while a program cancels all its exchanges`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel(transport, perHost: 50)
        let handles = (0..<20_000).map { kernel.begin(Request(.get, one + "\($0)")) }
        try await transport.began.opened(for: 50)

        for handle in handles { handle.cancel() }
        for handle in handles { _ = try? await handle.response }

        // Connections are held back for 50 ms at most: a program that is slower to cancel lets some begin.
        #expect(transport.requests.count < 2_000)
        #expect(transport.cancelled.admitted == transport.requests.count)
    }

    @Test func `are named by the timeout of an exchange that waits for one`() async throws {
        let clock = ManualClock()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel(transport, perHost: 1, clock: clock)
        let running = kernel.begin(Request(.get, one))
        try await transport.began.opened()
        var request = Request(.get, one)
        request.options.timeout = .seconds(1)
        let waiting = kernel.begin(request)
        await kernel.turn()

        clock.advance(by: .seconds(1))
        let error = await #expect(throws: PlugboardError.self) { _ = try await waiting.response }

        #expect(error?.code == .timeoutExchange)
        #expect(
            error?.reason.contains("a free connection to http://one.test (kernel.connectionsPerHost is 1)") == true)
        running.cancel()
    }

    @Test func `are never more than the limit over real sockets, and every request gets its response`() async throws {
        let server = try LoopbackServer.responding { ServerResponse(body: $0.target) }
        defer { server.stop() }
        var configuration = Configuration()
        configuration.kernel.connectionsPerHost = 5
        let kernel = try Kernel(configuration: configuration, catalog: Catalog(), log: .silent)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let response = try await kernel.send(Request(.get, server.url("/\(number)")))
                    #expect(try await response.body.text() == "/\(number)")
                }
            }
            try await group.waitForAll()
        }
        await kernel.shutDown()

        #expect(server.connectionCount <= 5)
    }
}
