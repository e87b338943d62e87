import Plugboard
import PlugboardEventLoop
import PlugboardKit
import Synchronization
import TestSupport
import Testing

@Suite struct `Rule 5: waiting` {
    @Test func `a woken hook runs again with the visit woken`() async throws {
        let record = Record()
        let tickets = Mutex<[Ticket]>([])
        let parked = Gate()
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in
            record.add("\(exchange.visit)")
            guard exchange.visit == .first else { return .next }
            let ticket = exchange.ticket()
            tickets.withLock { $0.append(ticket) }
            parked.admit()
            return .wait(ticket)
        }
        let kernel = try makeKernel([plugin])

        async let response = kernel.send(Request(.get, anywhere))
        try await parked.opened()
        let ticket = try #require(tickets.withLock { $0.first })
        let first = ticket.wake()
        let status = try await response.status
        let second = ticket.wake()

        #expect(status == 200)
        #expect(record.lines == ["first", "woken"])
        #expect(first)
        #expect(!second)
    }

    @Test func `a hook that is not woken runs again at its deadline, and a late wake is refused`() async throws {
        let clock = ManualClock()
        let record = Record()
        let tickets = Mutex<[Ticket]>([])
        let parked = Gate()
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in
            record.add("\(exchange.visit)")
            guard exchange.visit == .first else { return .next }
            let ticket = exchange.ticket(within: .seconds(3))
            tickets.withLock { $0.append(ticket) }
            parked.admit()
            return .wait(ticket)
        }
        let kernel = try makeKernel([plugin], clock: clock)

        async let response = kernel.send(Request(.get, anywhere))
        try await parked.opened()
        clock.advance(by: .seconds(3))
        _ = try await response

        #expect(record.lines == ["first", "deadline"])
        #expect(tickets.withLock { $0.first }?.wake() == false)
    }

    @Test func `work off the loop returns the closure that decides on it`() async throws {
        let transport = MockTransport()
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { _ in
            .wait {
                let token = await Task { "token" }.value
                return { exchange in
                    exchange.request[.authorization] = token
                    return .next
                }
            }
        }
        let kernel = try makeKernel([plugin], transport)

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(transport.requests.first?.fields[.authorization] == "token")
    }

    @Test func `work off the loop leaves the state of the exchange, which its decision can replace`() async throws {
        final class Word: Sendable {
            let text: String
            init(_ text: String) { self.text = text }
        }
        let record = Record()
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in
            exchange.state = Word("before")
            return .wait {
                { exchange in
                    record.add((exchange.state as? Word)?.text ?? "none")
                    exchange.state = Word("decided")
                    return .next
                }
            }
        }
        plugin.onClose = { exchange, _ in record.add((exchange.state as? Word)?.text ?? "none") }
        let kernel = try makeKernel([plugin])

        _ = try await kernel.send(Request(.get, anywhere)).body.collect(upTo: .kibibytes(1))

        #expect(record.lines == ["before", "decided"])
    }

    @Test func `an error of the work is a fault of the plugin`() async throws {
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { _ in .wait { throw PlugboardError("x", "no token to be had") } }
        let kernel = try makeKernel([plugin])

        let error = try await failure(of: kernel, Request(.get, anywhere))

        #expect(error.code == .pluginFault)
        #expect(error.plugin == "a")
        #expect(error.reason.contains("no token to be had"))
    }

    @Test func `cancelling an exchange that waits ends it, and its ticket is stale`() async throws {
        let tickets = Mutex<[Ticket]>([])
        let parked = Gate()
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in
            let ticket = exchange.ticket()
            tickets.withLock { $0.append(ticket) }
            parked.admit()
            return .wait(ticket)
        }
        let kernel = try makeKernel([plugin])

        let handle = kernel.begin(Request(.get, anywhere))
        try await parked.opened()
        handle.cancel()

        await #expect(throws: PlugboardError(.cancelled, "The exchange was cancelled.")) { try await handle.response }
        #expect(tickets.withLock { $0.first }?.wake() == false)
    }

    @Test func `cancelling an exchange releases the state of a plugin that waits`() async throws {
        let parked = Gate()
        let released = Gate()
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in
            exchange.turnState = Witness { released.admit() }
            parked.admit()
            return .wait(exchange.ticket())
        }
        let kernel = try makeKernel([plugin])

        let handle = kernel.begin(Request(.get, anywhere))
        try await parked.opened()
        handle.cancel()

        try await released.opened()
    }

    @Test func `cancelling cancels the work that the exchange waits for`() async throws {
        let started = Gate()
        let cancelled = Gate()
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { _ in
            .wait {
                started.admit()
                await withTaskCancellationHandler {
                    try? await Task.sleep(for: .seconds(3600))
                } onCancel: {
                    cancelled.admit()
                }
                return { _ in .next }
            }
        }
        let kernel = try makeKernel([plugin])

        let handle = kernel.begin(Request(.get, anywhere))
        try await started.opened()
        handle.cancel()

        try await cancelled.opened()
    }
}

/// Tells when it is released.
private final class Witness {
    private let released: () -> Void

    init(_ released: @escaping () -> Void) { self.released = released }

    deinit { released() }
}
