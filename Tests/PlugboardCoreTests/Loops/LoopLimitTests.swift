import Plugboard
import PlugboardCurl
import PlugboardEventLoop
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct `Limits of a kernel with several loops` {
    @Test(arguments: [0, 1, 2, 5, 7, 64, 1001]) func `the shares of a limit add up to it`(limit: Int) {
        for count in 1...max(min(limit, 64), 1) {
            let shares = (0..<count).map { LimitShare(of: limit, index: $0, count: count).own }

            #expect(shares.reduce(0, +) == limit)
            #expect(limit == 0 || shares.allSatisfy { $0 > 0 })
        }
    }

    @Test func `hold for all loops together`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let loops = try LoopKernel(4, [], transport) { $0.kernel.connections = 6 }

        let handles = (0..<100).map { _ in loops.kernel.begin(Request(.get, anywhere)) }
        try await transport.began.opened(for: 6)
        await loops.kernel.turn()

        #expect(transport.requests.count == 6)
        for handle in handles { handle.cancel() }
    }

    @Test func `hold for one host on all loops together`() async throws {
        let transport = MockTransport { attempt, _ in attempt.url.hasPrefix("http://one") ? .silence : .respond(200) }
        let loops = try LoopKernel(4, [], transport) { $0.kernel.connectionsPerHost = 10 }

        let handles = (0..<100).map { _ in loops.kernel.begin(Request(.get, "http://one.test/")) }
        for _ in 0..<20 { #expect(try await loops.kernel.send(Request(.get, "http://two.test/")).status == 200) }
        await loops.kernel.turn()

        #expect(transport.requests.count { $0.url.hasPrefix("http://one") } == 10)
        for handle in handles { handle.cancel() }
    }

    @Test func `give every exchange its turn in the end`() async throws {
        let loops = try LoopKernel(4) { ($0.kernel.connections, $0.kernel.connectionsPerHost) = (5, 4) }

        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<300 { group.addTask { try await loops.kernel.send(Request(.get, anywhere)).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(statuses == Array(repeating: 200, count: 300))
    }

    @Test(arguments: [(2, 64, 2), (0, 3, 3), (0, 0, 4), (3, 2, 2), (100, 64, 4)])
    func `there are never more loops than connections`(connections: Int, perHost: Int, loops: Int) throws {
        let kernel = try LoopKernel(4) {
            ($0.kernel.connections, $0.kernel.connectionsPerHost) = (connections, perHost)
        }

        #expect(kernel.kernel.executors.count == loops)
    }

    @Test func `an error names the whole limit and not a loop's share`() async throws {
        let clock = ManualClock()
        let transport = MockTransport { _, _ in .silence }
        let loops = try LoopKernel(2, [], transport, clock: clock) { $0.kernel.connections = 4 }
        let busy = (0..<4).map { _ in loops.kernel.begin(Request(.get, anywhere)) }
        try await transport.began.opened(for: 4)

        var request = Request(.get, anywhere)
        request.options.timeout = .seconds(5)
        let waiting = loops.kernel.begin(request)
        await loops.kernel.turn()
        clock.advance(by: .seconds(6))

        let error = await #expect(throws: PlugboardError.self) { try await waiting.response }
        #expect(error?.reason.contains("it waited for a free connection (kernel.connections is 4)") == true)
        for handle in busy { handle.cancel() }
    }
}
