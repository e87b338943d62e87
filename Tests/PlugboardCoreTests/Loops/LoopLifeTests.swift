import Plugboard
import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct `The life of a kernel with several loops` {
    /// Counts the calls for the whole kernel, and where they come.
    private final class CountedTransport: Transport {
        let calls = Locked<[String]>([])
        private let loops: LoopKernel.Loops
        private let transport = MockTransport()

        init(_ loops: LoopKernel.Loops) { self.loops = loops }

        func perform(_ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop) -> any Attempt {
            transport.perform(attempt, observer: observer, loop: loop)
        }

        func forget() { note("forget") }
        func shutDown() { note("shutDown") }

        private func note(_ call: String) {
            let loop = loops.current
            calls.withLock { $0.append("\(call) on \(loop)") }
        }
    }

    @Test func `a transport that the program gives is told once, on the first loop`() async throws {
        let loops = LoopKernel.Loops()
        let transport = CountedTransport(loops)
        let kernel = try LoopKernel(4, [], transport, loops: loops).kernel

        try await kernel.forget()
        await kernel.shutDown()

        #expect(transport.calls.withLock { $0 } == ["forget on 0", "shutDown on 0"])
    }

    @Test func `a shutdown under load waits for the exchanges of all loops, and refuses new ones`() async throws {
        let (gate, parked) = (Gate(), Gate())
        let slow = ScriptedPlugin("slow")
        slow.onRequest = { _ in
            parked.admit()
            return .wait {
                try await gate.opened()
                return { _ in .next }
            }
        }
        let record = Record()
        slow.onStop = { record.add("stopped") }
        let loops = try LoopKernel(4, [slow])
        let kernel = loops.kernel
        let handles = (0..<200).map { _ in kernel.begin(Request(.get, anywhere)) }
        try await parked.opened(for: 200)

        async let end: Void = kernel.shutDown(within: .seconds(100))
        await loops.refusing()
        #expect(record.lines.isEmpty)
        gate.open()
        for handle in handles { #expect(try await handle.response.status == 200) }
        await end

        #expect(record.lines == ["stopped"])
    }

    @Test func `a shutdown waits for a sub-request that a loop without exchanges takes meanwhile`() async throws {
        let (held, closing, sent, isGoing) = (Gate(), Gate(), Gate(), Gate())
        let record = Record()
        let asker = ScriptedPlugin("asker")
        asker.events = ["closing"]
        asker.onEvent = { _, _ in closing.admit() }
        asker.onRequest = { [unowned asker] _ in
            .wait {
                held.admit()
                try await closing.opened(for: 1)
                let sub = Request(.get, "http://sub.test/")
                asker.host?.send(sub, for: nil, from: .outermost, isDetached: true) { result in
                    record.add("sub-request: \((try? result.get())?.head.status ?? 0)")
                }
                try await sent.opened(for: 1)
                return { _ in .next }
            }
        }
        asker.onStop = { record.add("stop") }
        let holder = ScriptedPlugin("holder", priority: 2)
        holder.onRequest = { exchange in
            guard exchange.request.url != anywhere else { return .next }
            return .wait {
                sent.admit()
                try await isGoing.opened(for: 1)
                return { _ in .next }
            }
        }
        let loops = try LoopKernel(2, [asker, holder])
        let exchange = loops.kernel.begin(Request(.get, anywhere))
        try await held.opened(for: 1)

        async let end: Void = loops.kernel.shutDown(within: .seconds(100))
        #expect(try await exchange.response.status == 200)
        await loops.kernel.turn()
        #expect(loops.counts.sorted() == [0, 1])
        isGoing.open()
        await end

        #expect(record.lines == ["sub-request: 200", "stop"])
    }

    @Test func `a shutdown cancels what is left on every loop after its limit`() async throws {
        let clock = ManualClock()
        let transport = MockTransport { _, _ in .silence }
        let loops = try LoopKernel(4, [], transport, clock: clock)
        let handles = (0..<40).map { _ in loops.kernel.begin(Request(.get, anywhere)) }
        try await transport.began.opened(for: 40)

        async let end: Void = loops.kernel.shutDown(within: .seconds(10))
        await loops.refusing()
        await loops.kernel.turn()
        clock.advance(by: .seconds(11))
        var codes: Set<String> = []
        for handle in handles {
            do { _ = try await handle.response } catch { codes.insert(error.code.name) }
        }
        await end

        #expect(codes == [PlugboardError.Code.shutDown.name])
        #expect(loops.counts == [0, 0, 0, 0])
    }

    @Test func `dropping the kernel cancels the exchanges of all loops`() async throws {
        let transport = MockTransport { _, _ in .silence }
        var loops: LoopKernel? = try LoopKernel(4, [], transport)
        let handles = (0..<40).map { _ in loops!.kernel.begin(Request(.get, anywhere)) }
        try await transport.began.opened(for: 40)

        loops = nil
        var ended = 0
        for handle in handles {
            do { _ = try await handle.response } catch { ended += 1 }
        }

        #expect(ended == 40)
        _ = loops
    }

    @Test func `a start that fails leaves nothing behind`() async throws {
        let record = Record()
        let (first, second) = (ScriptedPlugin("first", priority: 1), ScriptedPlugin("second", priority: 2))
        first.onStop = { record.add("first stops") }
        second.onStart = { throw PlugboardError("test", "It does not want to.") }

        let error = #expect(throws: PlugboardError.self) { try LoopKernel(4, [first, second]) }

        #expect(error?.code == .pluginStart)
        #expect(record.lines == ["first stops"])
    }
}
