import Synchronization

/// The tasks that live as long as their plugin.
final class PluginTasks: Sendable {
    private struct State {
        var last: UInt64 = 0
        var running: [UInt64: Task<Void, Never>] = [:]
        var isEnded = false
    }

    private let state = Mutex(State())

    func start(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        state.withLock { state in
            guard !state.isEnded else { return Task {} }
            state.last += 1
            let number = state.last
            let task = Task {
                await operation()
                self.state.withLock { $0.running[number] = nil }
            }
            state.running[number] = task
            return task
        }
    }

    var isEmpty: Bool { state.withLock { $0.running.isEmpty } }

    /// Cancels all tasks, and lets no task begin from now on.
    func cancel() {
        let running = state.withLock { state in
            state.isEnded = true
            return state.running
        }
        for task in running.values { task.cancel() }
    }

    /// Returns when all tasks have ended.
    func finish() async {
        for task in state.withLock({ $0.running }).values { await task.value }
    }
}
