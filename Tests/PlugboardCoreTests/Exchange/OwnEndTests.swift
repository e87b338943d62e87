import PlugboardKit
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCore

/// A hook that goes on after the end of its own exchange.
@Suite struct OwnEndTests {
    private final class Token: Sendable {}

    private final class Found: Sendable {
        let kernel = Mutex<KernelCore?>(nil)
        let ticket = Mutex<Ticket?>(nil)
        let id = Mutex<UInt64?>(nil)
    }

    private func end(_ work: @escaping @Sendable (borrowing Exchange) -> RequestVerdict) async throws {
        let found = Found()
        let plugin = ScriptedPlugin("ending")
        plugin.onRequest = { exchange in
            for other in found.kernel.withLock({ $0 })?.current?.underWay.all ?? [] { other.cancel() }
            return work(exchange)
        }
        let kernel = try makeKernel([plugin])
        found.kernel.withLock { $0 = kernel.core }
        defer { found.kernel.withLock { $0 = nil } }

        let error = await #expect(throws: PlugboardError.self) { try await kernel.send(Request(.get, anywhere)) }

        #expect(error?.code == .cancelled)
    }

    @Test func `has a ticket that wakes nothing`() async throws {
        let found = Found()

        try await end { exchange in
            let ticket = exchange.ticket()
            found.ticket.withLock { $0 = ticket }
            return .wait(ticket)
        }

        #expect(found.ticket.withLock { $0 }?.wake() == false)
    }

    @Test func `has no number`() async throws {
        let found = Found()

        try await end { exchange in
            let id = exchange.id
            found.id.withLock { $0 = id }
            return .next
        }

        #expect(found.id.withLock { $0 } == 0)
    }

    @Test func `keeps no state`() async throws {
        let record = Record()

        try await end { exchange in
            let token = Token()
            weak let kept = token
            exchange.state = token
            record.add(exchange.state == nil ? "none" : "some")
            _ = kept
            return .next
        }

        #expect(record.lines == ["none"])
    }
}
