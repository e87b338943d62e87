import Plugboard
import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct `Plugins of a kernel with several loops` {
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
