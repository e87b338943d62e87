import Synchronization

/// Runs the callbacks of one call one after the other, in order. The executor may run jobs in any order; some callbacks
/// run on the main actor instead.
final class CallbackQueue: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [(run: Job, isOnMain: Bool)] = []
        var isRunning = false
    }

    private enum Next {
        case run([Job])
        case change(toMain: Bool)
        case end
    }

    private let executor: CallbackExecutor
    private let state = Mutex(State())

    init(_ executor: CallbackExecutor) { self.executor = executor }

    /// Adds a job that runs after all earlier ones, once `run` is called.
    func add(onMain isOnMain: Bool = false, _ job: @escaping Job) {
        state.withLock { $0.jobs.append((job, isOnMain)) }
    }

    /// Makes the executor run all jobs, unless it already does. Must not be called within a lock, because the executor
    /// may run them at once.
    func run() {
        let isOnMain = state.withLock { state -> Bool? in
            guard !state.isRunning, let first = state.jobs.first else { return nil }
            state.isRunning = true
            return first.isOnMain
        }
        if let isOnMain { begin(onMain: isOnMain) }
    }

    private func begin(onMain isOnMain: Bool) {
        if isOnMain {
            Task { @MainActor in self.runJobs(onMain: true) }
        } else {
            executor.run { self.runJobs(onMain: false) }
        }
    }

    private func runJobs(onMain isOnMain: Bool) {
        while true {
            switch next(onMain: isOnMain) {
            case .run(let jobs): for job in jobs { job() }
            case .change(let toMain): return begin(onMain: toMain)
            case .end: return
            }
        }
    }

    private func next(onMain isOnMain: Bool) -> Next {
        state.withLock { state in
            guard let first = state.jobs.first else {
                state.isRunning = false
                return .end
            }
            guard first.isOnMain == isOnMain else { return .change(toMain: first.isOnMain) }
            let jobs = state.jobs.prefix { $0.isOnMain == isOnMain }.map(\.run)
            state.jobs.removeFirst(jobs.count)
            return .run(jobs)
        }
    }
}
