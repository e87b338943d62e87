import PlugboardKit
import Synchronization

/// Tickets: lets a number of requests through at a time; the others wait until one of those ends.
final class Permits: Plugin {
    static let manifest = Manifest(
        id: "com.example.permits", version: "1.0.0", documentation: "Limits the requests under way.", priority: 150,
        hooks: [.request])

    struct Settings: PluginSettings {
        @Setting("How many requests may be under way.", in: 1...1000) var permits = 4
    }

    private struct State {
        var free: Int
        var holders: Set<UInt64> = []
        var waiting: [(exchange: UInt64, ticket: Ticket)] = []
    }
    private let state: Mutex<State>

    init(settings: Settings, host: PluginHost) { state = Mutex(State(free: settings.permits)) }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        // The exchange has a permit: it was woken, or a plugin further out has resent it.
        if exchange.state != nil { return .next }
        let (id, ticket) = (exchange.id, exchange.ticket())
        exchange.state = Place(of: id, in: self)
        let isFree = state.withLock { state in
            state.waiting.append((id, ticket))
            // If a permit is free, no other exchange waits.
            _ = Permits.handOver(&state)
            return state.holders.contains(id)
        }
        return isFree ? .next : .wait(ticket)
    }

    /// Gives permits to those that wait, and returns whom to wake. Each permit has its holder before the wake: if the
    /// exchange is cancelled between the wake and its hook, its place gives the permit back.
    private static func handOver(_ state: inout State) -> [Ticket] {
        let count = min(state.free, state.waiting.count)
        let next = state.waiting.prefix(count)
        state.waiting.removeFirst(count)
        state.free -= count
        for (exchange, _) in next { state.holders.insert(exchange) }
        return next.map(\.ticket)
    }

    private func leave(_ exchange: UInt64) {
        let woken = state.withLock { state in
            if state.holders.remove(exchange) == nil {
                state.waiting.removeAll { $0.exchange == exchange }
            } else {
                state.free += 1
            }
            return Permits.handOver(&state)
        }
        for ticket in woken { ticket.wake() }
    }

    /// The state of an exchange that has a permit or waits for one: released at its end, on every path.
    private final class Place {
        private let id: UInt64
        private let permits: Permits

        init(of id: UInt64, in permits: Permits) { (self.id, self.permits) = (id, permits) }

        deinit { permits.leave(id) }
    }
}
