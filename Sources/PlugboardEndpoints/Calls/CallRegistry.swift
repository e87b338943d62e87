import Synchronization

/// The calls of one client that have not ended, in the order in which they were made. The registry holds a call from
/// its start; it lists a waiting call only as long as the program holds it.
public final class CallRegistry: Sendable {
    private struct Entry {
        weak var call: (any AnyCall)?
        /// The call, from its start.
        var held: (any AnyCall)?
    }

    private struct State {
        var calls: [CallID: Entry] = [:]
        /// The number of callers that wait for the end of all calls; no call may start meanwhile.
        var finishing = 0
    }

    private let state = Mutex(State())

    init() {}

    /// All calls, including waiting ones.
    public var all: [any AnyCall] {
        // The references are released after the lock, because the end of a call takes the lock.
        state.withLock { $0.calls.values.compactMap { $0.call } }.sorted { $0.id.number < $1.id.number }
    }

    /// The number of calls.
    public var count: Int { state.withLock { $0.calls.count } }

    /// The call with this number; nil if it has ended.
    public subscript(id: CallID) -> (any AnyCall)? { state.withLock { $0.calls[id]?.call } }

    /// Whether calls must not start, because the program waits for all calls to end.
    var isFinishing: Bool { state.withLock { $0.finishing > 0 } }

    func beginFinishing() { state.withLock { $0.finishing += 1 } }

    func endFinishing() { state.withLock { $0.finishing -= 1 } }

    func add(_ call: any AnyCall) {
        state.withLock { $0.calls[call.id] = Entry(call: call) }
    }

    /// Holds a started call.
    func hold(_ call: any AnyCall) { state.withLock { $0.calls[call.id]?.held = call } }

    func remove(_ id: CallID) {
        // Keeps the last reference until the lock is free.
        let removed = state.withLock { $0.calls.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }
}
