import Synchronization

/// Runs the callbacks of one call one after the other, in order, on an executor that may run jobs in any order.
final class CallbackQueue: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var isRunning = false
    }

    private let executor: CallbackExecutor
    private let state = Mutex(State())

    init(_ executor: CallbackExecutor) { self.executor = executor }

    /// Adds a job that runs after all earlier ones, once `run` is called.
    func add(_ job: @escaping Job) { state.withLock { $0.jobs.append(job) } }

    /// Has the executor run all jobs, unless it does so already. Not to be called within a lock, because the executor
    /// may run them at once.
    func run() {
        let isIdle = state.withLock { state in
            let isIdle = !state.isRunning && !state.jobs.isEmpty
            if isIdle { state.isRunning = true }
            return isIdle
        }
        if isIdle { executor.run { self.runJobs() } }
    }

    private func runJobs() {
        while true {
            let jobs = state.withLock { state -> [Job] in
                if state.jobs.isEmpty { state.isRunning = false }
                defer { state.jobs = [] }
                return state.jobs
            }
            if jobs.isEmpty { return }
            for job in jobs { job() }
        }
    }
}
