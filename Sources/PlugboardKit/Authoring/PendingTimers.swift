import Synchronization

/// The closures of a plugin's timers that have not run yet.
///
/// The kernel hands a timer's context back when the timer is due, perhaps after the plugin was destroyed, and never if
/// the kernel ends before. So the context is a number that is never used again, not a pointer: a late number finds no
/// closure.
final class PendingTimers: Sendable {
    private struct Pending {
        let owner: ObjectIdentifier
        let fired: @Sendable () -> Void
        let dropped: @Sendable () -> Void
    }

    private struct State {
        var last: UInt = 0
        /// The closures of all plugins that share this code.
        var waiting: [UInt: Pending] = [:]
    }

    private static let state = Mutex(State())
    /// Written and read only while `state` is locked.
    private let hasEnded = Atomic(false)

    /// Keeps a closure until it has run. Returns nil after the plugin was destroyed; `dropped` has then been called.
    func add(_ fired: @escaping @Sendable () -> Void, dropped: @escaping @Sendable () -> Void) -> UInt? {
        let number = PendingTimers.state.withLock { state -> UInt? in
            guard !hasEnded.load(ordering: .relaxed) else { return nil }
            state.last += 1
            state.waiting[state.last] = Pending(owner: ObjectIdentifier(self), fired: fired, dropped: dropped)
            return state.last
        }
        if number == nil { dropped() }
        return number
    }

    /// Runs a closure, unless it has run, was removed, or its plugin is destroyed.
    static func run(_ number: UInt) { take(number)?.fired() }

    /// Releases a closure that must not run.
    static func remove(_ number: UInt) { _ = take(number) }

    /// Releases a closure whose timer the kernel did not start, and calls `dropped`.
    static func drop(_ number: UInt) { take(number)?.dropped() }

    private static func take(_ number: UInt) -> Pending? {
        state.withLock { $0.waiting.removeValue(forKey: number) }
    }

    /// Called when the plugin is destroyed or could not be created. Drops its closures.
    func end() {
        let own = PendingTimers.state.withLock { state in
            hasEnded.store(true, ordering: .relaxed)
            let own = state.waiting.filter { $0.value.owner == ObjectIdentifier(self) }
            for number in own.keys { state.waiting[number] = nil }
            return own
        }
        for pending in own.values { pending.dropped() }
    }
}
