import Synchronization

/// A clock that stands still until it is told to go on: for tests that must not sleep.
public final class ManualClock: Sendable {
    private struct State {
        var now: Int64 = 1_000_000_000
        var loops: [EventLoop] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Nanoseconds; begins at one second. [any]
    public var now: Int64 { state.withLock { $0.now } }

    /// Moves the clock, and wakes the loops that go by it; their timers fire on their own threads, soon. [any]
    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let loops = state.withLock { state in
            state.now += seconds * 1_000_000_000 + attoseconds / 1_000_000_000
            return state.loops
        }
        for loop in loops { loop.enqueue {} }
    }

    func attach(_ loop: EventLoop) { state.withLock { $0.loops.append(loop) } }

    func detach(_ loop: EventLoop) { state.withLock { $0.loops.removeAll { $0 === loop } } }
}
