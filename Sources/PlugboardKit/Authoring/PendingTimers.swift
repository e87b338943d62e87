import Synchronization

/// The closures of a plugin's timers that have not run yet.
///
/// The kernel gives a timer's context back when the timer is due, and never if the kernel ends before. So the contexts
/// are borrowed from here, and what has not run when the plugin is destroyed is let go of.
final class PendingTimers: Sendable {
    /// What a timer's context points at.
    final class Pending: Sendable {
        let number: UInt64
        private let timers: PendingTimers
        private let fired: @Sendable () -> Void
        fileprivate let dropped: @Sendable () -> Void

        fileprivate init(
            _ number: UInt64, of timers: PendingTimers, _ fired: @escaping @Sendable () -> Void,
            _ dropped: @escaping @Sendable () -> Void
        ) {
            self.number = number
            self.timers = timers
            self.fired = fired
            self.dropped = dropped
        }

        func run() {
            if timers.remove(number) { fired() }
        }
    }

    private struct State {
        var last: UInt64 = 0
        /// Nil once the plugin is destroyed.
        var waiting: [UInt64: Pending]? = [:]
    }

    private let state = Mutex(State())

    /// Keeps a closure until it has run. Nil once the plugin is destroyed; `dropped` has then been called.
    func add(_ fired: @escaping @Sendable () -> Void, dropped: @escaping @Sendable () -> Void) -> Pending? {
        let pending = state.withLock { state -> Pending? in
            guard state.waiting != nil else { return nil }
            state.last += 1
            let pending = Pending(state.last, of: self, fired, dropped)
            state.waiting?[state.last] = pending
            return pending
        }
        if pending == nil { dropped() }
        return pending
    }

    /// False if it has run, or begun to, or was removed before.
    @discardableResult
    func remove(_ number: UInt64) -> Bool { state.withLock { $0.waiting?.removeValue(forKey: number) } != nil }

    /// The kernel's loop has ended: nothing will run any more.
    func end() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        for pending in (waiting ?? [:]).values { pending.dropped() }
    }
}
