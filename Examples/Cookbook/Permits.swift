import PlugboardKit
import Synchronization

/// Tickets: lets a number of requests through at a time; the others wait until one of those ends.
final class Permits: Plugin {
    static let manifest = Manifest(
        id: "com.example.permits", version: "1.0.0", documentation: "Limits the requests under way.", priority: 150,
        hooks: [.request, .close])

    struct Settings: PluginSettings {
        @Setting("How many requests may be under way.", in: 1...1000) var permits = 4
    }

    private struct State {
        var free: Int
        var waiting: [Ticket] = []
    }
    private let state: Mutex<State>

    init(settings: Settings, host: PluginHost) { state = Mutex(State(free: settings.permits)) }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        if take() { return .next }
        let ticket = exchange.ticket()
        // Once more, under one lock with the queue: a permit may have come back in between.
        return take(orQueue: ticket) ? .next : .wait(ticket)
    }

    /// Called exactly once for each `next`, on every path: gives the permit back.
    func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) {
        state.withLock { $0.free += 1 }
        // An exchange that was cancelled while it waited cannot be woken; then the next one gets the permit.
        while let ticket = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) {
            if ticket.wake() { return }
        }
    }

    private func take(orQueue ticket: Ticket? = nil) -> Bool {
        state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                return true
            }
            if let ticket { state.waiting.append(ticket) }
            return false
        }
    }
}
