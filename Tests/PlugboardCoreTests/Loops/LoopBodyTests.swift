import CPlugboard
import Plugboard
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCore
@testable import PlugboardKit

@Suite struct `A body that a plugin moves to another loop` {
    /// Pieces, and the loops on which they are asked for.
    private final class NotedSource: BodySource {
        private let pieces = Mutex(Array(0..<100))
        let pulled = Locked<Set<Int>>([])
        let released = Gate()
        private let loops: LoopKernel.Loops

        init(_ loops: LoopKernel.Loops) { self.loops = loops }

        var length: Int? { nil }

        func pull(_ pull: Pull) {
            let loop = loops.current
            pulled.withLock { _ = $0.insert(loop) }
            let next = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            pull.complete(next.map { .bytes(Bytes("\($0) ")) } ?? .end(trailers: Fields()))
        }

        func release() { released.admit() }
    }

    private static let whole = (0..<100).map { "\($0) " }.joined()

    /// `/keep` keeps the response of a detached sub-request; `/take` does what the test wants with it.
    private func keeper(
        _ take: @escaping @Sendable (SubResponse, borrowing Exchange) -> RequestVerdict
    ) -> ScriptedPlugin {
        let kept = Locked<SubResponse?>(nil)
        let plugin = ScriptedPlugin("keeper")
        plugin.onRequest = { [unowned plugin] exchange in
            guard let host = plugin.host else { return .next }
            if exchange.request.url.hasSuffix("/take"), let response = kept.withLock({ $0.take() }) {
                return take(response, exchange)
            }
            guard exchange.request.url.hasSuffix("/keep") else { return .next }
            let ticket = exchange.ticket()
            guard exchange.visit == .first else { return .respond(ResponseHead(status: 204)) }
            host.send(Request(.get, "http://sub.test/"), for: exchange.id, isDetached: true) { result in
                kept.withLock { $0 = try? result.get() }
                ticket.wake()
            }
            return .wait(ticket)
        }
        return plugin
    }

    private func kernel(
        _ plugin: ScriptedPlugin, _ source: NotedSource, _ loops: LoopKernel.Loops
    ) throws -> LoopKernel {
        let transport = MockTransport { attempt, _ in
            attempt.url.hasPrefix("http://sub") ? .source(200, Fields(), source) : .respond(200, Fields(), ["own"])
        }
        return try LoopKernel(2, [plugin], transport, loops: loops)
    }

    @Test func `is pulled on its own loop and read on the other`() async throws {
        let loops = LoopKernel.Loops()
        let source = NotedSource(loops)
        let kernel = try kernel(keeper { response, _ in .respond(with: response) }, source, loops)

        #expect(try await kernel.send(Request(.get, "http://origin.test/keep"), on: 0).status == 204)
        let taken = try await kernel.send(Request(.get, "http://origin.test/take"), on: 1)

        #expect(taken == (200, Self.whole))
        #expect(source.pulled.withLock { $0 } == [0])
    }

    /// Reads an inner body, and notes where it is pulled and where the pieces come.
    private final class Reading: BodySource {
        let inner: InnerBody
        let loops: LoopKernel.Loops
        let seen = Locked<Set<Int>>([])

        init(_ inner: InnerBody, _ loops: LoopKernel.Loops) { (self.inner, self.loops) = (inner, loops) }

        var length: Int? { nil }

        func pull(_ pull: Pull) {
            note()
            inner.forward(pull) { _ in self.note() }
        }

        func release() { inner.release() }

        private func note() {
            let loop = loops.current
            seen.withLock { _ = $0.insert(loop) }
        }
    }

    @Test func `gives its pieces on the loop of the source around it`() async throws {
        let loops = LoopKernel.Loops()
        let (source, reading) = (NotedSource(loops), Locked<Reading?>(nil))
        let plugin = keeper { response, _ in
            guard let inner = response.takeBody() else { return .next }
            let around = Reading(inner, loops)
            reading.withLock { $0 = around }
            return .respond(ResponseHead(status: 203), Body(around))
        }
        let kernel = try kernel(plugin, source, loops)

        _ = try await kernel.send(Request(.get, "http://origin.test/keep"), on: 0)
        let taken = try await kernel.send(Request(.get, "http://origin.test/take"), on: 1)

        #expect(taken == (203, Self.whole))
        #expect(source.pulled.withLock { $0 } == [0])
        #expect(reading.withLock { $0 }?.seen.withLock { $0 } == [1])
    }

    @Test func `cannot be rewound from there`() async throws {
        let loops = LoopKernel.Loops()
        let found = Locked<[Bool]>([])
        let plugin = keeper { response, exchange in
            guard let inner = response.takeBody() else { return .next }
            let (could, did) = (inner.canRewind, inner.rewind())
            found.withLock { $0 = [could, did] }
            return .respond(ResponseHead(status: 203), Body(inner))
        }
        let transport = MockTransport { attempt, _ in
            .source(200, Fields(), PiecesSource(["a", "b"], canRewind: true))
        }
        let kernel = try LoopKernel(2, [plugin], transport, loops: loops)

        _ = try await kernel.send(Request(.get, "http://origin.test/keep"), on: 1)
        let taken = try await kernel.send(Request(.get, "http://origin.test/take"), on: 0)

        #expect(taken == (203, "ab"))
        #expect(found.withLock { $0 } == [false, false])
    }

    @Test func `is released on its own loop when its reader does not want it`() async throws {
        let loops = LoopKernel.Loops()
        let source = NotedSource(loops)
        let kernel = try kernel(keeper { response, _ in .respond(with: response) }, source, loops)

        _ = try await kernel.send(Request(.get, "http://origin.test/keep"), on: 0)
        try await Task(executorPreference: kernel.kernel.executors[1]) {
            _ = try await kernel.kernel.send(Request(.get, "http://origin.test/take"))
        }.value

        try await source.released.opened()
        #expect(source.pulled.withLock { $0 }.isSubset(of: [0]))
    }

    /// Never gives a piece.
    private final class SilentSource: BodySource {
        var length: Int? { nil }
        func pull(_ pull: Pull) {}
        func release() {}
    }

    @Test func `ends an open pull before its release returns`() async throws {
        let loops = LoopKernel.Loops()
        let (record, released) = (Record(), Gate())
        let plugin = keeper { response, _ in
            guard let inner = response.takeBody() else { return .next }
            _ = inner.ask { piece, _ in
                if case .broken(let error) = copy piece { record.add(error.code.name) }
            }
            // A timer runs on the loop, and outside of hooks.
            response.host.schedule(after: .zero, on: response.host.currentLoop) {
                inner.release()
                record.add("released on \(loops.current)")
                released.admit()
            }
            return .respond(ResponseHead(status: 203))
        }
        let transport = MockTransport { attempt, _ in
            attempt.url.hasPrefix("http://sub") ? .source(200, Fields(), SilentSource()) : .respond(200)
        }
        let kernel = try LoopKernel(2, [plugin], transport, loops: loops)

        _ = try await kernel.send(Request(.get, "http://origin.test/keep"), on: 0)
        _ = try await kernel.send(Request(.get, "http://origin.test/take"), on: 1)
        try await released.opened(for: 1)

        #expect(record.lines == ["cancelled", "released on 1"])
    }

    @Test func `made on no loop can be rewound on the loop that asks first`() async throws {
        let loops = LoopKernel.Loops()
        let found = Locked<[Bool]>([])
        let made = Locked<InnerBody?>(nil)
        let maker = ScriptedPlugin("maker")
        maker.onRequest = { exchange in
            if exchange.request.url.hasSuffix("/ask"), let body = made.withLock({ $0 }) {
                let could = body.canRewind
                let did = body.rewind()
                found.withLock { $0 = [could, did] }
            }
            return .next
        }
        let kernel = try LoopKernel(2, [maker], MockTransport(), loops: loops)
        let host = try #require(maker.host)
        let node = host.raw.pointee.body_of_bytes(host.raw, plug_bytes())
        made.withLock { $0 = node.map { InnerBody($0, host: host.raw) } }

        _ = try await kernel.send(Request(.get, "http://origin.test/ask"), on: 1)

        #expect(found.withLock { $0 } == [true, true])
    }

    @Test func `sent for an exchange of another loop can be sent again there`() async throws {
        let loops = LoopKernel.Loops()
        let bodies = Record()
        let parked = Locked<(exchange: UInt64, ticket: Ticket)?>(nil)
        let isParked = Gate()
        let asker = ScriptedPlugin("asker", priority: 100)
        asker.onRequest = { [unowned asker] exchange in
            if exchange.request.url.hasSuffix("/park"), exchange.visit == .first {
                let ticket = exchange.ticket()
                parked.withLock { $0 = (exchange.id, ticket) }
                isParked.admit()
                return .wait(ticket)
            }
            guard exchange.request.url.hasSuffix("/ask"), let other = parked.withLock({ $0 }) else { return .next }
            let sub = Request(.post, "http://sub.test/", body: .text("made on the first loop"))
            asker.host?.send(sub, for: other.exchange) { _ in other.ticket.wake() }
            return .next
        }
        let repeating = ScriptedPlugin("repeating", priority: 900)
        repeating.onResponse = { exchange in
            exchange.request.url.hasPrefix("http://sub.") && exchange.attempt < 3 && exchange.canResend
                ? .resend() : .next
        }
        let kernel = try LoopKernel(2, [asker, repeating], ReadingTransport(bodies), loops: loops)

        async let waiting = kernel.send(Request(.get, "http://origin.test/park"), on: 1)
        try await isParked.opened(for: 1)
        _ = try await kernel.send(Request(.get, "http://origin.test/ask"), on: 0)
        _ = try await waiting

        #expect(bodies.lines.filter { !$0.isEmpty } == Array(repeating: "made on the first loop", count: 3))
    }

    @Test func `made on no loop belongs to the loop of its exchange, and can be sent again there`() async throws {
        let loops = LoopKernel.Loops()
        let bodies = Record()
        let asker = ScriptedPlugin("asker", priority: 100)
        asker.onRequest = { [unowned asker] exchange in
            guard let host = asker.host else { return .next }
            let id = exchange.id
            return .wait {
                let sub = Request(.post, "http://sub.test/", body: .text("made elsewhere"))
                let response = try await host.send(sub, for: id)
                return { exchange in .respond(ResponseHead(status: response.head.status)) }
            }
        }
        let repeating = ScriptedPlugin("repeating", priority: 900)
        repeating.onResponse = { exchange in exchange.attempt < 3 && exchange.canResend ? .resend() : .next }
        let kernel = try LoopKernel(2, [asker, repeating], ReadingTransport(bodies), loops: loops)

        let status = try await kernel.send(Request(.get, anywhere), on: 1).status

        #expect(status == 200)
        #expect(bodies.lines == Array(repeating: "made elsewhere", count: 3))
    }
}
