import Plugboard
import PlugboardEventLoop
import TestSupport
import Testing

@Suite struct `Rule 9: ending from outside` {
    @Test func `the exchange's timeout asks no steering hook and closes turns as cancelled`() async throws {
        let clock = ManualClock()
        let record = Record()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel([recorder("a", priority: 1, record)], transport, clock: clock)
        var request = Request(.get, anywhere)
        request.options.timeout = .seconds(5)

        let handle = kernel.begin(request)
        try await transport.began.opened()
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: PlugboardError.self) { try await handle.response }

        #expect(error?.code == .timeoutExchange)
        #expect(record.lines == ["a request", "a close cancelled"])
        #expect(transport.cancelled.admitted == 1)
    }

    @Test func `cancelling the task cancels the exchange`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel([], transport)

        let task = Task { try await kernel.send(Request(.get, anywhere)) }
        try await transport.began.opened()
        task.cancel()
        let error = await #expect(throws: PlugboardError.self) { try await task.value }

        #expect(error?.code == .cancelled)
        #expect(transport.cancelled.admitted == 1)
    }

    @Test func `an exchange is cancelled once, however often it is asked`() async throws {
        let record = Record()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel([recorder("a", priority: 1, record)], transport)

        let handle = kernel.begin(Request(.get, anywhere)) { event in
            if event.kernelEvent == .completed { record.add("completed") }
        }
        try await transport.began.opened()
        for _ in 0..<3 { handle.cancel() }
        _ = try? await handle.response

        #expect(record.lines == ["a request", "a close cancelled", "completed"])
    }

    @Test func `a suspended exchange does nothing until it is resumed`() async throws {
        let clock = ManualClock()
        let parked = Gate()
        let suspended = Gate()
        let resumed = Gate()
        let record = Record()
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in
            record.add("\(exchange.visit)")
            guard exchange.visit == .first else { return .next }
            let ticket = exchange.ticket(within: .seconds(1))
            parked.admit()
            return .wait(ticket)
        }
        let kernel = try makeKernel([plugin], clock: clock)

        let handle = kernel.begin(Request(.get, anywhere)) { event in
            if event.kernelEvent == .suspended { suspended.admit() }
            if event.kernelEvent == .resumed { resumed.admit() }
        }
        try await parked.opened()
        handle.suspend()
        try await suspended.opened()
        clock.advance(by: .seconds(10))
        #expect(record.lines == ["first"])
        handle.resume()
        try await resumed.opened()
        clock.advance(by: .seconds(1))
        let status = try await handle.response.status

        #expect(status == 200)
        #expect(record.lines == ["first", "deadline"])
    }

    @Test func `a suspended exchange suspends its attempt`() async throws {
        let suspended = Gate()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel([], transport)

        let handle = kernel.begin(Request(.get, anywhere)) { event in
            if event.kernelEvent == .suspended { suspended.admit() }
        }
        try await transport.began.opened()
        handle.suspend()
        try await suspended.opened()
        handle.cancel()
        _ = try? await handle.response

        #expect(transport.suspensions == 1)
    }

    @Test func `an exchange that is suspended while it waits for a connection begins nothing`() async throws {
        let record = Record()
        let suspended = Gate()
        let transport = MockTransport { _, number in number == 1 ? .silence : .respond(200) }
        let kernel = try makeKernel([], transport) { $0.kernel.connections = 1 }

        let first = kernel.begin(Request(.get, anywhere))
        try await transport.began.opened()
        let second = kernel.begin(Request(.get, anywhere)) { event in
            record.add(event.id)
            if event.kernelEvent == .suspended { suspended.admit() }
        }
        second.suspend()
        try await suspended.opened()
        first.cancel()
        _ = try? await first.response
        #expect(!record.lines.contains("attemptBegan"))
        second.resume()
        let status = try await second.response.status

        #expect(status == 200)
        #expect(record.lines.contains("attemptBegan"))
    }

    @Test func `shutting down waits for the exchanges under way and takes no more requests`() async throws {
        let record = Record()
        let gate = Gate()
        let source = GatedSource(gate, "late")
        let plugin = ScriptedPlugin("a")
        plugin.onStop = { record.add("stopped") }
        let kernel = try makeKernel([plugin], MockTransport { _, _ in .source(200, Fields(), source) })

        let response = try await kernel.send(Request(.get, anywhere))
        async let ended: Void = kernel.shutDown()
        async let endedToo: Void = {
            await kernel.shutDown()
            record.add("second shutdown returned")
        }()
        var refused: PlugboardError?
        // Until the shutdown has begun, requests are taken, and dropped here.
        while refused == nil {
            do { _ = try await kernel.send(Request(.head, anywhere)) } catch { refused = error }
        }
        gate.open()
        let text = try await response.body.text()
        record.add("read \(text)")
        await ended
        await endedToo
        let afterwards = try await failure(of: kernel, Request(.get, anywhere))
        let command = await #expect(throws: PlugboardError.self) { try await kernel.command("a", "none") }
        try await kernel.forget()

        #expect(refused?.code == .shutDown)
        #expect(Set(record.lines) == ["read late", "stopped", "second shutdown returned"])
        #expect(record.lines.filter { $0 != "read late" } == ["stopped", "second shutdown returned"])
        #expect(afterwards.code == .shutDown)
        #expect(command != nil)
    }

    @Test func `shutting down cancels exchanges that do not end in time`() async throws {
        let clock = ManualClock()
        let transport = MockTransport { _, _ in .silence }
        let kernel = try makeKernel([], transport, clock: clock)

        let handle = kernel.begin(Request(.get, anywhere))
        try await transport.began.opened()
        await kernel.shutDown(within: .zero)
        let error = await #expect(throws: PlugboardError.self) { try await handle.response }

        #expect(error?.code == .shutDown)
    }

    @Test func `nothing of an exchange is left when it is over, however it ended`() async throws {
        final class Probe: Sendable {
            let gone: Gate
            init(_ gone: Gate) { self.gone = gone }
            deinit { gone.admit() }
        }
        let gone = Gate()
        let transport = MockTransport { request, _ in
            switch request.url {
            case anywhere + "none": .respond(204, Fields(), nil)
            case anywhere + "fails": .failure(PlugboardError(.transportConnect, "refused"))
            case anywhere + "silent": .silence
            default: .respond(200, Fields(), ["whole"])
            }
        }
        let kernel = try makeKernel([], transport)

        for path in ["none", "fails", "whole"] {
            let probe = Probe(gone)
            let handle = kernel.begin(Request(.get, anywhere + path)) { _ in withExtendedLifetime(probe) {} }
            _ = try? await handle.response.body.text()
        }
        do {
            let probe = Probe(gone)
            // No task asks for its outcome.
            _ = kernel.begin(Request(.get, anywhere + "unread")) { _ in withExtendedLifetime(probe) {} }
        }
        do {
            let probe = Probe(gone)
            let handle = kernel.begin(Request(.get, anywhere + "silent")) { _ in withExtendedLifetime(probe) {} }
            handle.suspend()
            handle.cancel()
        }

        try await gone.opened(for: 5)
    }
}

/// Gives one piece, when a gate opens.
private final class GatedSource: BodySource {
    private let gate: Gate
    private let text: String
    private let given = Gate()

    init(_ gate: Gate, _ text: String) {
        self.gate = gate
        self.text = text
    }

    var length: Int? { nil }

    func pull(_ pull: Pull) {
        guard given.admitted == 0 else {
            pull.end()
            return
        }
        given.admit()
        Task { [gate, text] in
            try await gate.opened()
            pull.give(Bytes(text))
        }
    }
}
