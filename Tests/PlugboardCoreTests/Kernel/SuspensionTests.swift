import Plugboard
import PlugboardEventLoop
import TestSupport
import Testing

struct SuspensionTests {
    @Test func `the exchange's timeout runs on while an attempt is suspended`() async throws {
        let clock = ManualClock()
        let record = Record()
        let suspended = Gate()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel([recorder("a", priority: 1, record)], transport, clock: clock)
        var request = Request(.get, anywhere)
        request.options.timeout = .seconds(5)

        let handle = kernel.begin(request) { event in
            if event.kernelEvent == .suspended { suspended.admit() }
        }
        try await transport.began.opened()
        handle.suspend()
        try await suspended.opened()
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: PlugboardError.self) { try await handle.response }

        #expect(error?.code == .timeoutExchange)
        #expect(record.lines == ["a request", "a close cancelled"])
        #expect(transport.cancelled.admitted == 1)
    }

    @Test func `the exchange's timeout runs on where a wait's deadline stands still`() async throws {
        let clock = ManualClock()
        let record = Record()
        let parked = Gate()
        let suspended = Gate()
        let plugin = recorder("a", priority: 1, record)
        plugin.onRequest = { exchange in
            record.add("a \(exchange.visit)")
            let ticket = exchange.ticket(within: .seconds(1))
            parked.admit()
            return .wait(ticket)
        }
        let kernel = try makeKernel([plugin], clock: clock)
        var request = Request(.get, anywhere)
        request.options.timeout = .seconds(5)

        let handle = kernel.begin(request) { event in
            if event.kernelEvent == .suspended { suspended.admit() }
        }
        try await parked.opened()
        handle.suspend()
        try await suspended.opened()
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: PlugboardError.self) { try await handle.response }

        #expect(error?.code == .timeoutExchange)
        #expect(record.lines == ["a first"])
    }

    @Test func `a hook that parks a response reported within the transport's resume meets one deadline`() async throws {
        let clock = ManualClock()
        let record = Record()
        let parked = Gate()
        let suspended = Gate()
        let transport = MockTransport { _, _ in .whenResumed(200) }
        let plugin = recorder("a", priority: 1, record)
        plugin.onResponse = { exchange in
            record.add("a \(exchange.visit)")
            guard exchange.visit == .first else { return .next }
            let ticket = exchange.ticket(within: .seconds(1))
            parked.admit()
            return .wait(ticket)
        }
        let kernel = try makeKernel([plugin], transport, clock: clock)

        let handle = kernel.begin(Request(.get, anywhere)) { event in
            if event.kernelEvent == .suspended { suspended.admit() }
        }
        try await transport.began.opened()
        handle.suspend()
        try await suspended.opened()
        handle.resume()
        try await parked.opened()
        clock.advance(by: .seconds(1))
        let status = try await handle.response.status
        // Everything that is due runs before a job that is enqueued now.
        clock.advance(by: .seconds(1))
        await kernel.shutDown()

        #expect(status == 200)
        #expect(record.lines == ["a request", "a first", "a deadline", "a close ended"])
    }
}
