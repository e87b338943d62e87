import Synchronization

/// The calls of one client that have not ended, in the order in which they were made. They are held from their start:
/// one that waits is here as long as the program holds it.
public final class CallRegistry: Sendable {
    private struct Entry {
        let order: UInt64
        weak var call: (any AnyCall)?
        /// The call, from its start.
        var held: (any AnyCall)?
    }

    private struct State {
        var calls: [CallID: Entry] = [:]
        var last: UInt64 = 0
        /// How many wait for the end of all calls, so that no other may start.
        var finishing = 0
    }

    private let state = Mutex(State())

    init() {}

    /// All calls, waiting ones included.
    public var all: [any AnyCall] {
        // The references are released after the lock, because the end of a call takes it.
        state.withLock { state in
            state.calls.values.compactMap { entry in entry.call.map { (entry.order, $0) } }
        }
        .sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// The number of calls.
    public var count: Int { state.withLock { $0.calls.count } }

    /// The call of this number; nil if it has ended.
    public subscript(id: CallID) -> (any AnyCall)? { state.withLock { $0.calls[id]?.call } }

    /// Whether calls must not start, because the program waits for the end of those under way.
    var isFinishing: Bool { state.withLock { $0.finishing > 0 } }

    func beginFinishing() { state.withLock { $0.finishing += 1 } }

    func endFinishing() { state.withLock { $0.finishing -= 1 } }

    func add(_ call: any AnyCall) {
        state.withLock { state in
            state.last += 1
            state.calls[call.id] = Entry(order: state.last, call: call)
        }
    }

    /// Holds a call that was started.
    func hold(_ call: any AnyCall) { state.withLock { $0.calls[call.id]?.held = call } }

    func remove(_ id: CallID) {
        // The last reference to the call is not released within the lock.
        let removed = state.withLock { $0.calls.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }
}
