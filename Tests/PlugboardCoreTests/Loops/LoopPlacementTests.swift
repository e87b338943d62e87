import Plugboard
import PlugboardKit
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct `Where an exchange runs` {
    /// Notes on which loop each request comes in.
    private func noting(_ seen: Locked<[Int]>, _ loops: LoopKernel.Loops) -> ScriptedPlugin {
        let plugin = ScriptedPlugin("noting")
        plugin.onRequest = { _ in
            seen.withLock { $0.append(loops.current) }
            return .next
        }
        return plugin
    }

    @Test func `requests that follow one another use the first loop`() async throws {
        let (seen, loops) = (Locked<[Int]>([]), LoopKernel.Loops())
        let kernel = try LoopKernel(4, [noting(seen, loops)], loops: loops).kernel

        for _ in 0..<20 { _ = try await kernel.send(Request(.get, anywhere)).body.text() }

        #expect(seen.withLock { $0 } == Array(repeating: 0, count: 20))
    }

    @Test func `many requests at once are spread evenly, and leave their loops again`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let loops = try LoopKernel(4, [], transport)

        let handles = (0..<40).map { _ in loops.kernel.begin(Request(.get, anywhere)) }
        try await transport.began.opened(for: 40)
        let during = loops.counts
        for handle in handles { handle.cancel() }
        for handle in handles { _ = try? await handle.response }

        #expect(during == [10, 10, 10, 10])
        #expect(loops.counts == [0, 0, 0, 0])
    }

    @Test(arguments: 0..<3) func `a task on a loop sends on that loop`(loop: Int) async throws {
        let (seen, loops) = (Locked<[Int]>([]), LoopKernel.Loops())
        let kernel = try LoopKernel(3, [noting(seen, loops)], loops: loops)

        for _ in 0..<10 { _ = try await kernel.send(Request(.get, anywhere), on: loop) }

        #expect(seen.withLock { $0 } == Array(repeating: loop, count: 10))
    }

    @Test func `the first executor is the kernel's only one without loops of its own`() throws {
        let (one, three) = (try LoopKernel(1).kernel, try LoopKernel(3).kernel)

        #expect(one.executors.count == 1 && one.executors[0] === one.executor)
        #expect(three.executors.count == 3 && three.executors[0] === three.executor)
        #expect(Set(three.executors.map { ObjectIdentifier($0) }).count == 3)
    }

    @Test func `a kernel with one loop counts no exchanges`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let loops = try LoopKernel(1, [], transport)

        let handle = loops.kernel.begin(Request(.get, anywhere))
        try await transport.began.opened()

        #expect(loops.counts == [0])
        handle.cancel()
    }

    @Test func `a request that a closing kernel refuses is counted nowhere`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let loops = try LoopKernel(2, [], transport)
        let handle = loops.kernel.begin(Request(.get, anywhere))
        try await transport.began.opened()

        async let end: Void = loops.kernel.shutDown(within: .seconds(60))
        await loops.refusing()
        let during = loops.counts
        handle.cancel()
        await end

        #expect(during.reduce(0, +) == 1)
        #expect(loops.counts == [0, 0])
    }
}
