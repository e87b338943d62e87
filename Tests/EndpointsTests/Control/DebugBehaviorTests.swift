import PlugboardEndpoints
import Synchronization
import TestSupport
import Testing

/// Requests that are delayed or fail on purpose.
@Suite(.timeLimit(.minutes(2))) struct DebugBehaviorTests {
    private let failure = PlugboardError(.timeoutConnect, "Simulated.")

    @Test func `a simulated failure of the client, the endpoint or the call sends nothing`() async throws {
        let responder = try Responder { $0.debug = DebugBehavior(failure: PlugboardError(.transportDNS, "Client.")) }
        var endpoint = Item("a")
        var codes: [PlugboardError.Code?] = []
        func send() async {
            codes.append(await #expect(throws: PlugboardError.self) { try await responder.client.send(endpoint) }?.code)
        }

        await send()
        endpoint.debug = DebugBehavior(failure: failure)
        await send()
        let call = responder.client.call(
            endpoint, debug: DebugBehavior(failure: PlugboardError(.transportReset, "Call.")))
        await call.ended()
        endpoint.debug = DebugBehavior()
        let sent = try await responder.client.send(endpoint)

        #expect(codes == [.transportDNS, .timeoutConnect] && call.error?.code == .transportReset)
        #expect(responder.began == ["a"] && sent == "a")
    }

    @Test func `a simulated failure is judged and handled like a real one`() async throws {
        let handled = Record()
        let simulated = failure
        let responder = try Responder { settings in
            settings.debug = DebugBehavior(failure: simulated)
            settings.errorHandler = { error, _ in
                handled.add(error.code.name)
                return error
            }
        }

        await #expect(throws: PlugboardError.self) { try await responder.client.send(Item("a")) }

        #expect(handled.lines == ["timeout.connect"])
    }

    @Test func `a delayed request waits for the clock and is sent then`() async throws {
        let responder = try Responder()
        let clock = GatedClock()

        let call = responder.client.call(Item("a"), debug: DebugBehavior(delay: .seconds(5), clock: clock))
        try await clock.began.opened()
        let before = responder.began
        clock.ended.open()

        #expect(try await call.value == "a")
        #expect(before == [] && clock.durations == [.seconds(5)])
    }

    @Test func `a request that is cancelled during its delay is not sent`() async throws {
        let responder = try Responder()
        let clock = GatedClock()
        let client = responder.client
        let task = Task {
            var item = Item("a")
            item.debug = DebugBehavior(delay: .seconds(5), clock: clock)
            return try await client.send(item)
        }
        try await clock.began.opened()

        task.cancel()

        await #expect { _ = try await task.value } throws: { ($0 as? PlugboardError)?.code == .cancelled }
        #expect(responder.began == [])
    }
}

/// A clock whose sleeps end when a test says so.
private final class GatedClock: Clock, Sendable {
    typealias Instant = ContinuousClock.Instant

    let began = Gate()
    let ended = Gate()
    private let start = ContinuousClock.now
    private let slept = Mutex<[Duration]>([])

    var now: Instant { start }
    var minimumResolution: Duration { .nanoseconds(1) }
    var durations: [Duration] { slept.withLock { $0 } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        slept.withLock { $0.append(start.duration(to: deadline)) }
        began.admit()
        try await ended.opened()
    }
}
