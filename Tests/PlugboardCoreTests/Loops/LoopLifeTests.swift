import Plugboard
import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import Synchronization
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

    @Test func `faults on several loops add up, and a plugin that one loop disables is disabled on all`() async throws {
        struct Broken: Error {}
        let calls = Record()
        let fragile = ScriptedPlugin("fragile")
        fragile.onRequest = { _ in
            calls.add("call")
            throw Broken()
        }
        let loops = try LoopKernel(4, [fragile]) {
            ($0.plugins[0].onFault, $0.plugins[0].faultLimit) = (.disable, 4)
        }

        for loop in 0..<4 { #expect(try await loops.send(Request(.get, anywhere), on: loop).status == 200) }
        for loop in 0..<4 { #expect(try await loops.send(Request(.get, anywhere), on: loop).status == 200) }

        #expect(calls.lines.count == 4)
        #expect(loops.kernel.plugins[0].disabled != nil)
    }

    @Test func `an exchange without a fault on another loop resets the count`() async throws {
        struct Broken: Error {}
        let fragile = ScriptedPlugin("fragile")
        fragile.onRequest = { exchange in
            if exchange.request["X-Well"] == nil { throw Broken() }
            return .next
        }
        let loops = try LoopKernel(2, [fragile]) {
            ($0.plugins[0].onFault, $0.plugins[0].faultLimit) = (.disable, 2)
        }

        for _ in 0..<3 {
            _ = try await loops.send(Request(.get, anywhere), on: 0)
            _ = try await loops.send(Request(.get, anywhere, fields: ["X-Well": "1"]), on: 1)
        }

        #expect(loops.kernel.plugins[0].disabled == nil)
    }

    @Test func `what waits on other loops for a plugin that is disabled goes on`() async throws {
        struct Broken: Error {}
        let parked = Gate()
        let fragile = ScriptedPlugin("fragile")
        fragile.onRequest = { exchange in
            guard exchange.request["X-Wait"] != nil else { throw Broken() }
            if exchange.visit != .first { return .next }
            parked.admit()
            return .wait(exchange.ticket())
        }
        let loops = try LoopKernel(2, [fragile]) {
            ($0.plugins[0].onFault, $0.plugins[0].faultLimit) = (.disable, 1)
        }

        async let waiting = loops.send(Request(.get, anywhere, fields: ["X-Wait": "1"]), on: 1)
        try await parked.opened()
        _ = try await loops.send(Request(.get, anywhere), on: 0)

        #expect(try await waiting.status == 200)
    }

    @Test func `timers fire on the loop that starts them, and those of other threads on the first`() async throws {
        let (fired, loops, done) = (Locked<[String]>([]), LoopKernel.Loops(), Gate())
        let plugin = ScriptedPlugin("timing")
        plugin.onRequest = { [unowned plugin] exchange in
            let home = loops.current
            plugin.host?.schedule(after: .milliseconds(1)) {
                let loop = loops.current
                fired.withLock { $0.append("\(home) \(loop)") }
                done.admit()
            }
            return .next
        }
        let kernel = try LoopKernel(3, [plugin], loops: loops)

        for loop in 0..<3 { _ = try await kernel.send(Request(.get, anywhere), on: loop) }
        plugin.host?.schedule(after: .milliseconds(1)) {
            let loop = loops.current
            fired.withLock { $0.append("elsewhere \(loop)") }
            done.admit()
        }
        let cancelled = try #require(plugin.host?.schedule(after: .seconds(3600)) { done.admit() })
        try await done.opened(for: 4)

        #expect(fired.withLock { $0.sorted() } == ["0 0", "1 1", "2 2", "elsewhere 0"])
        #expect(cancelled.cancel())
        #expect(!cancelled.cancel())
    }

    @Test func `one manual clock moves the timers of all loops`() async throws {
        let clock = ManualClock()
        let transport = MockTransport { _, _ in .silence }
        let loops = try LoopKernel(4, [], transport, clock: clock)
        var request = Request(.get, anywhere)
        request.options.timeout = .seconds(5)
        let handles = (0..<40).map { _ in loops.kernel.begin(request) }
        try await transport.began.opened(for: 40)

        clock.advance(by: .seconds(6))
        var codes: [PlugboardError.Code] = []
        for handle in handles {
            do { _ = try await handle.response } catch { codes.append(error.code) }
        }

        #expect(codes == Array(repeating: .timeoutExchange, count: 40))
    }

    @Test func `events of an exchange come on its loop, whoever publishes them`() async throws {
        let (heard, loops, told) = (Locked<[String]>([]), LoopKernel.Loops(), Gate())
        let publisher = ScriptedPlugin("publisher", priority: 1)
        publisher.onRequest = { [unowned publisher] exchange in
            guard let host = publisher.host else { return .next }
            let (id, home) = (exchange.id, loops.current)
            return .wait {
                host.publish("publisher.fact", exchange: id, details: ["home": "\(home)"])
                try await told.opened()
                return { _ in .next }
            }
        }
        let listener = ScriptedPlugin("listener", priority: 2)
        listener.events = ["publisher.fact"]
        listener.onEvent = { event, exchange in
            let line = "\(event["home"] ?? "none") \(loops.current) \(exchange != nil)"
            heard.withLock { $0.append(line) }
            told.admit()
        }
        let kernel = try LoopKernel(3, [publisher, listener], loops: loops)

        for loop in 0..<3 { _ = try await kernel.send(Request(.get, anywhere), on: loop) }
        publisher.host?.publish("publisher.fact")
        try await told.opened(for: 4)

        #expect(heard.withLock { $0 } == ["0 0 true", "1 1 true", "2 2 true", "none 0 false"])
    }

    @Test func `the watchdog names a plugin that holds any of the loops`() async throws {
        let (freed, lines) = (Gate(), Record())
        let plugin = ScriptedPlugin("sleeper")
        plugin.onRequest = { _ in
            try? freed.wait()
            return .next
        }
        var configuration = Configuration(plugins: ["sleeper"])
        configuration.kernel.loops = 3
        configuration.kernel.hookTimeLimit = .milliseconds(5)
        let log = KernelLog(level: .warning) { _, _, text in
            lines.add(text)
            if lines.lines.count == 3 { freed.open() }
        }
        let kernel = try Kernel(
            configuration: configuration, catalog: Catalog([plugin.descriptor]), transport: MockTransport(), log: log)

        // Without a line for each loop, they would never return.
        let handles = (0..<3).map { _ in kernel.begin(Request(.get, anywhere)) }
        for handle in handles { #expect(try await handle.response.status == 200) }

        #expect(lines.lines.count == 3)
        #expect(lines.lines.allSatisfy { $0.contains("every exchange of this loop waits for it") })
    }

    @Test func `numbers of another loop, and stale ones, find nothing`() {
        let registries = (0..<3).map { Registry<String>($0, of: 3) }

        let numbers = registries.map { $0.add("a") } + registries.map { $0.add("b") }

        #expect(Set(numbers).count == 6 && !numbers.contains(0))
        #expect(numbers.map { Int($0 % 3) } == [0, 1, 2, 0, 1, 2])
        #expect(registries[1].remove(numbers[0]) == nil)
        #expect(registries[0].remove(numbers[0]) == "a" && registries[0].remove(numbers[0]) == nil)
    }
}
