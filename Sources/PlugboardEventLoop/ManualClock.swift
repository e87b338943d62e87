import PlugboardMessages
import Synchronization

/// A clock that moves only when it is told to: for tests that must not sleep.
public final class ManualClock: Sendable {
    private struct State {
        var now: Int64 = 1_000_000_000
        /// How far the wall clock is ahead of `now`.
        var wallOffset: Int64
        var loops: [EventLoop] = []
    }

    private let state: Mutex<State>

    /// A clock whose `now` is one second.
    ///
    /// - Parameter wallClock: The initial time of the wall clock, since 1970-01-01 00:00 UTC.
    public init(wallClock: Duration = .seconds(1_700_000_000)) {
        state = Mutex(State(wallOffset: wallClock.nanoseconds - 1_000_000_000))
    }

    /// The time in nanoseconds, which begins at one second. [any]
    public var now: Int64 { state.withLock { $0.now } }

    /// Nanoseconds since 1970-01-01 00:00 UTC; moves with `now`. [any]
    public var wallClock: Int64 { state.withLock { $0.now + $0.wallOffset } }

    /// Sets the wall clock, forward or back. Timers do not depend on it. [any]
    public func setWallClock(_ time: Duration) {
        state.withLock { $0.wallOffset = time.nanoseconds - $0.now }
    }

    /// Moves the clock and wakes the loops that use it; their timers fire later on their own threads. [any]
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
