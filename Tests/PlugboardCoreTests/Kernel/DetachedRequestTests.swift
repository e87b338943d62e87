import Plugboard
import PlugboardKit
import Synchronization
import TestSupport
import Testing

struct DetachedRequestTests {
    @Test func `a detached sub-request outlives the exchange that it was sent for`() async throws {
        let record = Record()
        let tickets = Mutex<[Ticket]>([])
        let parked = Gate()
        let completed = Gate()
        let reported = Gate()
        let asker = reporting(to: record, reported)
        let holding = ScriptedPlugin("holding", priority: 2)
        holding.onRequest = { exchange in
            guard exchange.request.url != anywhere, exchange.visit == .first else { return .next }
            let ticket = exchange.ticket()
            tickets.withLock { $0.append(ticket) }
            parked.admit()
            return .wait(ticket)
        }
        let transport = MockTransport { request, _ in .respond(request.url == anywhere ? 200 : 202) }
        let kernel = try makeKernel([asker, holding], transport)

        let handle = kernel.begin(Request(.get, anywhere)) { event in
            if event.kernelEvent == .completed { completed.admit() }
        }
        _ = try await handle.response.body.text()
        try await completed.opened()
        try await parked.opened()
        let woken = tickets.withLock { $0.first }?.wake()
        try await reported.opened()

        #expect(woken == true)
        #expect(record.lines == ["report 202"])
        #expect(transport.requests.map(\.url) == [anywhere, "http://report.test/"])
    }

    @Test func `a detached sub-request goes on when its exchange is cancelled`() async throws {
        let record = Record()
        let sent = Gate()
        let go = Gate()
        let reported = Gate()
        let asker = reporting(to: record, reported)
        let holding = ScriptedPlugin("holding", priority: 2)
        holding.onRequest = { exchange in
            guard exchange.request.url != anywhere else { return .next }
            return .wait {
                sent.admit()
                try await go.opened()
                return { _ in .next }
            }
        }
        let transport = MockTransport { request, _ in request.url == anywhere ? .silence : .respond(202) }
        let kernel = try makeKernel([asker, holding], transport)

        let handle = kernel.begin(Request(.get, anywhere))
        try await transport.began.opened()
        try await sent.opened()
        handle.cancel()
        _ = try? await handle.response
        go.open()
        try await reported.opened()

        #expect(record.lines == ["report 202"])
        #expect(transport.cancelled.admitted == 1)
    }

    /// A plugin that sends a detached report for each exchange, and records the sub-response.
    private func reporting(to record: Record, _ reported: Gate) -> ScriptedPlugin {
        let asker = ScriptedPlugin("asker", priority: 1)
        asker.onRequest = { [unowned asker] exchange in
            asker.host?.send(Request(.get, "http://report.test/"), for: exchange.id, isDetached: true) { result in
                record.add("report \((try? result.get())?.head.status ?? 0)")
                reported.admit()
            }
            return .next
        }
        return asker
    }
}
