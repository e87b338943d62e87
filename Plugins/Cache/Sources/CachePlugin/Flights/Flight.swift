import PlugboardKit
import Synchronization

/// One request under way that identical ones wait for.
final class Flight: Sendable {
    /// How it ended, for those who wait.
    enum Ending: Sendable {
        /// What it brought is in the store.
        case landed
        /// It brought nothing that others could use: all go on, at once.
        case fruitless
        /// It failed, or was cancelled: one of those who wait asks in its place.
        case failed
    }

    let key: FlightKey
    private let state = Mutex(State())

    private struct State {
        var waiting: [Ticket] = []
        var ending: Ending?
        /// Bytes of the body so far, once the head is there.
        var received: Int?
    }

    init(_ key: FlightKey) { self.key = key }

    /// How it ended, if it has.
    var ending: Ending? { state.withLock { $0.ending } }

    /// Bytes of the body so far; nil before the head is there.
    var received: Int? { state.withLock { $0.received } }

    /// So much of the body has come.
    func receive(_ count: Int) { state.withLock { $0.received = count } }

    /// Adds one who waits; false if it has ended.
    func add(_ ticket: Ticket) -> Bool {
        state.withLock { state in
            guard state.ending == nil else { return false }
            state.waiting.append(ticket)
            return true
        }
    }

    /// Wakes all who wait; nothing the second time.
    func end(_ ending: Ending) {
        let waiting = state.withLock { state -> [Ticket] in
            guard state.ending == nil else { return [] }
            state.ending = ending
            defer { state.waiting = [] }
            return state.waiting
        }
        for ticket in waiting { ticket.wake() }
    }
}

/// What makes requests identical, as far as it is known before the answer.
struct FlightKey: Hashable, Sendable {
    let key: CacheKey
    let version: String
    /// The values of the fields that told stored answers apart so far.
    let selecting: [String?]
}
