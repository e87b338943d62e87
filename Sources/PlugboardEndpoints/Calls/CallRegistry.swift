import Synchronization

/// The calls of one client that have not ended, in the order in which they were made.
public final class CallRegistry: Sendable {
    private struct State {
        var calls: [CallID: any AnyCall] = [:]
        var order: [CallID: UInt64] = [:]
        var last: UInt64 = 0
        /// How many wait for the end of all calls, so that no other may start.
        var finishing = 0
    }

    private let state = Mutex(State())

    init() {}

    /// All calls, waiting ones included.
    public var all: [any AnyCall] {
        state.withLock { state in
            state.calls.sorted { (state.order[$0.key] ?? 0) < (state.order[$1.key] ?? 0) }.map(\.value)
        }
    }

    /// The number of calls.
    public var count: Int { state.withLock { $0.calls.count } }

    /// The call of this number; nil if it has ended.
    public subscript(id: CallID) -> (any AnyCall)? { state.withLock { $0.calls[id] } }

    /// Whether calls must not start, because the program waits for the end of those under way.
    var isFinishing: Bool { state.withLock { $0.finishing > 0 } }

    func beginFinishing() { state.withLock { $0.finishing += 1 } }

    func endFinishing() { state.withLock { $0.finishing -= 1 } }

    func add(_ call: any AnyCall) {
        state.withLock { state in
            state.last += 1
            state.calls[call.id] = call
            state.order[call.id] = state.last
        }
    }

    func remove(_ call: any AnyCall) {
        // The last reference to the call is not released within the lock.
        let removed = state.withLock { state in
            state.order[call.id] = nil
            return state.calls.removeValue(forKey: call.id)
        }
        withExtendedLifetime(removed) {}
    }
}
