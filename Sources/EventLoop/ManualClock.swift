import Messages
import Synchronization

/// A clock that stands still until it is told to go on: for tests that must not sleep.
public final class ManualClock: Sendable {
    private struct State {
        var now: Int64 = 1_000_000_000
        /// What the clock on the wall is ahead of it.
        var wallOffset: Int64
        var loops: [EventLoop] = []
    }

    private let state: Mutex<State>

    /// - Parameter wallClock: What the clock on the wall shows at first, since 1970-01-01 00:00 UTC.
    public init(wallClock: Duration = .seconds(1_700_000_000)) {
        state = Mutex(State(wallOffset: wallClock.nanoseconds - 1_000_000_000))
    }

    /// Nanoseconds; begins at one second. [any]
    public var now: Int64 { state.withLock { $0.now } }

    /// Nanoseconds since 1970-01-01 00:00 UTC; goes along with `now`. [any]
    public var wallClock: Int64 { state.withLock { $0.now + $0.wallOffset } }

    /// Sets the clock on the wall, forward or back; timers do not go by it. [any]
    public func setWallClock(_ time: Duration) {
        state.withLock { $0.wallOffset = time.nanoseconds - $0.now }
    }

    /// Moves the clock, and wakes the loops that go by it; their timers fire on their own threads, soon. [any]
    public func advance(by duration: Duration) {
        let loops = state.withLock { state in
            state.now += duration.nanoseconds
            return state.loops
        }
        for loop in loops { loop.enqueue {} }
    }

    func attach(_ loop: EventLoop) { state.withLock { $0.loops.append(loop) } }

    func detach(_ loop: EventLoop) { state.withLock { $0.loops.removeAll { $0 === loop } } }
}
