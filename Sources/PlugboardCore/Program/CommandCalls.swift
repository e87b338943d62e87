import Synchronization

/// The calls of commands that are under way, so that no plugin is destroyed while it runs one. [any]
final class CommandCalls: Sendable {
    private struct State {
        /// The number of calls, by the slot of the plugin.
        var counts: [Int: Int] = [:]
        var isClosed = false
        var whenIdle: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Notes that a call begins. Returns false once the kernel is stopping its plugins.
    func enter(_ slot: Int) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.counts[slot, default: 0] += 1 }
            return !state.isClosed
        }
    }

    /// Notes that a call has returned.
    func leave(_ slot: Int) {
        let job = state.withLock { state -> (@Sendable () -> Void)? in
            let rest = (state.counts[slot] ?? 1) - 1
            state.counts[slot] = rest == 0 ? nil : rest
            guard state.counts.isEmpty else { return nil }
            defer { state.whenIdle = nil }
            return state.whenIdle
        }
        job?()
    }

    /// Refuses further calls. The job runs when the last one has returned.
    func close(_ job: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            state.isClosed = true
            if !state.counts.isEmpty { state.whenIdle = job }
            return state.counts.isEmpty
        }
        if isIdle { job() }
    }

    /// The slots of the plugins that have not returned from a command.
    var slots: Set<Int> { state.withLock { Set($0.counts.keys) } }
}
