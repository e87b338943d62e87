import Plugboard
import PlugboardKit
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct `An exchange stays on its loop` {
    /// What the plugin below has seen of one exchange.
    private final class Seen: Sendable {
        let steps = Locked<[(step: String, loop: Int)]>([])
        func add(_ step: String, _ loop: Int) { steps.withLock { $0.append((step, loop)) } }
    }

    /// Keeps bytes as they are, and notes where it is called.
    private struct Noting: BodyTransformer {
        static let keepsLength = true
        let seen: Seen
        let loops: LoopKernel.Loops
        mutating func transform(_ piece: UnsafeRawBufferPointer, into output: inout [UInt8]) {
            seen.add("piece", loops.current)
            output += piece
        }
    }

    /// Does all that a plugin can do in an exchange: waits for work on another thread, for a sub-request and for a
    /// timer, wraps both bodies, and watches.
    private func busy(_ all: Locked<[Seen]>, _ loops: LoopKernel.Loops) -> ScriptedPlugin {
        let plugin = ScriptedPlugin("busy")
        plugin.onRequest = { [unowned plugin] exchange in
            let seen = Seen()
            all.withLock { $0.append(seen) }
            exchange.state = seen
            seen.add("request", loops.current)
            exchange.transformRequestBody { Noting(seen: seen, loops: loops) }
            guard let host = plugin.host else { return .next }
            let id = exchange.id
            return .wait {
                seen.add("work", loops.current)
                let sub = try await host.send(Request(.get, "http://sub.test/"), for: id)
                let text = try await sub.collect(upTo: .kibibytes(1)).text
                return { exchange in
                    seen.add("decision", loops.current)
                    exchange.request["X-Sub"] = text
                    let ticket = exchange.ticket()
                    host.schedule(after: .microseconds(50)) {
                        seen.add("timer", loops.current)
                        ticket.wake()
                    }
                    return .wait(ticket)
                }
            }
        }
        plugin.onResponse = { exchange in
            (exchange.state as? Seen)?.add("response", loops.current)
            if let seen = exchange.state as? Seen {
                exchange.transformResponseBody { Noting(seen: seen, loops: loops) }
            }
            return .next
        }
        plugin.onClose = { exchange, _ in (exchange.state as? Seen)?.add("close", loops.current) }
        plugin.onEvent = { _, exchange in
            switch exchange {
            case .some(let exchange): (exchange.state as? Seen)?.add("event", loops.current)
            case .none: break
            }
        }
        return plugin
    }

    @Test func `with all its hooks, pieces and timers, and work elsewhere comes back to it`() async throws {
        let (all, loops) = (Locked<[Seen]>([]), LoopKernel.Loops())
        let plugin = busy(all, loops)
        let request = plugin.onRequest
        // Woken, it goes on.
        plugin.onRequest = { exchange in exchange.visit == .first ? try request?(exchange) ?? .next : .next }
        let transport = MockTransport { attempt, _ in
            .respond(200, Fields(), attempt.url.hasPrefix("http://sub") ? ["sub"] : ["some", "thing"])
        }
        let kernel = try LoopKernel(4, [plugin], transport, loops: loops).kernel

        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await kernel.send(Request(.post, anywhere, body: .text("body \(number)"))).body.text()
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(texts == Array(repeating: "something", count: 200))
        let seen = all.withLock { $0 }.map { $0.steps.withLock { $0 } }
        #expect(seen.count == 200)
        var used: Set<Int> = []
        for steps in seen {
            let onLoop = steps.filter { $0.step != "work" }
            used.formUnion(onLoop.map(\.loop))
            #expect(Set(onLoop.map(\.loop)).count == 1, "\(steps)")
            #expect(steps.filter { $0.step == "work" }.map(\.loop) == [-1])
            let hooks = onLoop.map(\.step).filter { !["event", "piece"].contains($0) }
            #expect(hooks == ["request", "decision", "timer", "response", "close"])
        }
        #expect(used == [0, 1, 2, 3])
    }

    @Test func `and so do its sub-requests`() async throws {
        let (seen, loops) = (Locked<[String: [Int]]>([:]), LoopKernel.Loops())
        let asker = ScriptedPlugin("asker", priority: 100)
        asker.onRequest = { [unowned asker] exchange in
            guard let host = asker.host else { return .next }
            let (id, url) = (exchange.id, exchange.request.url)
            return .wait {
                for number in 0..<3 { _ = try await host.send(Request(.get, "\(url)?\(number)"), for: id) }
                return { _ in .next }
            }
        }
        let inner = ScriptedPlugin("inner", priority: 900)
        inner.onRequest = { exchange in
            let path = String(exchange.request.url.prefix { $0 != "?" })
            seen.withLock { $0[path, default: []].append(loops.current) }
            return .next
        }
        let kernel = try LoopKernel(4, [asker, inner], loops: loops).kernel

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { _ = try await kernel.send(Request(.get, "http://origin.test/\(number)")) }
            }
            try await group.waitForAll()
        }

        let loopsOfExchanges = seen.withLock { $0 }
        #expect(loopsOfExchanges.count == 50)
        #expect(loopsOfExchanges.values.allSatisfy { $0.count == 4 && Set($0).count == 1 })
    }

    @Test func `a cancel from other threads ends each exchange, wherever it is`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let loops = try LoopKernel(4, [], transport)

        let handles = (0..<100).map { _ in loops.kernel.begin(Request(.get, anywhere)) }
        try await transport.began.opened(for: 64)
        await withTaskGroup(of: Void.self) { group in
            for handle in handles { group.addTask { handle.cancel() } }
        }
        var codes: [PlugboardError.Code] = []
        for handle in handles {
            do { _ = try await handle.response } catch { codes.append(error.code) }
        }

        #expect(codes == Array(repeating: .cancelled, count: 100))
        #expect(loops.counts == [0, 0, 0, 0])
    }

    @Test func `suspending and resuming from other threads loses nothing`() async throws {
        let gate = Gate()
        let waiting = ScriptedPlugin("waiting")
        waiting.onRequest = { _ in
            .wait {
                try await gate.opened()
                return { _ in .next }
            }
        }
        let kernel = try LoopKernel(4, [waiting]).kernel
        let suspended = Gate()
        let handles = (0..<40).map { _ in
            kernel.begin(Request(.get, anywhere), watch: { if $0.kernelEvent == .suspended { suspended.admit() } })
        }

        for handle in handles { handle.suspend() }
        try await suspended.opened(for: 40)
        gate.open()
        for handle in handles { handle.resume() }

        for handle in handles { #expect(try await handle.response.status == 200) }
    }

    @Test func `a ticket is woken once, from any thread, on its own loop`() async throws {
        let (tickets, loops) = (Locked<[(Ticket, Int)]>([]), LoopKernel.Loops())
        let (parked, moved) = (Gate(), Locked(0))
        let plugin = ScriptedPlugin("parking")
        plugin.onRequest = { exchange in
            guard exchange.visit == .first else {
                let home = exchange.request["X-Loop"]
                if home != "\(loops.current)" { moved.withLock { $0 += 1 } }
                return .next
            }
            exchange.request["X-Loop"] = "\(loops.current)"
            let ticket = exchange.ticket()
            tickets.withLock { $0.append((ticket, loops.current)) }
            parked.admit()
            return .wait(ticket)
        }
        let kernel = try LoopKernel(4, [plugin], loops: loops).kernel
        let handles = (0..<40).map { _ in kernel.begin(Request(.get, anywhere)) }
        try await parked.opened(for: 40)

        let all = tickets.withLock { $0 }
        let woken = await withTaskGroup(of: Bool.self) { group in
            for (ticket, _) in all + all { group.addTask { ticket.wake() } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        for handle in handles { #expect(try await handle.response.status == 200) }

        #expect(woken == 40)
        #expect(moved.withLock { $0 } == 0)
        #expect(Set(all.map(\.1)) == [0, 1, 2, 3])
        #expect(!all.contains { $0.0.wake() })
    }
}
