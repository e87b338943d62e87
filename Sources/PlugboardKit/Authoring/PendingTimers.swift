import Synchronization

/// The closures of a plugin's timers that have not run yet.
///
/// The kernel gives a timer's context back when the timer is due, perhaps when the plugin has gone, and never if the kernel ends before. So a
/// context is a number that is never used again, and no pointer: one that comes too late finds nothing.
final class PendingTimers: Sendable {
    private struct Pending {
        let owner: ObjectIdentifier
        let fired: @Sendable () -> Void
        let dropped: @Sendable () -> Void
    }

    private struct State {
        var last: UInt = 0
        /// Of all plugins that share this code.
        var waiting: [UInt: Pending] = [:]
    }

    private static let state = Mutex(State())
    /// Written and read within the lock of the others.
    private let hasEnded = Atomic(false)

    /// Keeps a closure until it has run. Nil once the plugin is destroyed; `dropped` has then been called.
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

    /// Lets go of a closure that is not to run.
    static func remove(_ number: UInt) { _ = take(number) }

    /// The same for one that the kernel did not start.
    static func drop(_ number: UInt) { take(number)?.dropped() }

    private static func take(_ number: UInt) -> Pending? {
        state.withLock { $0.waiting.removeValue(forKey: number) }
    }

    /// The plugin is destroyed, or was never created: nothing will run any more.
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
