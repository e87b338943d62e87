import PlugboardSystem
import Synchronization

/// Runs async code on the calling thread, which waits for it. Code that blocks there takes no thread from the pool that
/// tasks share.
final class CallingThread: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Whether the thread stopped waiting before the code was done.
        var isAbandoned = false
    }

    private let state = Mutex(State())
    /// Raised for each job, and when the code is done.
    private let changed = Signal()

    /// Returns false if the code was not done in time. It is then cancelled, and the rest of it runs on the pool.
    static func run(within limit: Duration, _ body: @escaping @Sendable () async -> Void) -> Bool {
        let thread = CallingThread()
        let task = thread.begin(body)
        if thread.work(within: limit) { return true }
        thread.abandon()
        task.cancel()
        return false
    }

    /// Returns when the code is done. After the limit, the code is cancelled.
    static func run(cancellingAfter limit: Duration, _ body: @escaping @Sendable () async -> Void) {
        let thread = CallingThread()
        let task = thread.begin(body)
        if thread.work(within: limit) { return }
        task.cancel()
        _ = thread.work(within: nil)
    }

    private func begin(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self) {
            await body()
            self.changed.raise()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isTaken = state.withLock { state in
            if !state.isAbandoned { state.jobs.append(job) }
            return !state.isAbandoned
        }
        if isTaken { changed.raise() } else { globalConcurrentExecutor.enqueue(job) }
    }

    /// Moves the remaining jobs to the pool.
    private func abandon() {
        let left = state.withLock { state in
            state.isAbandoned = true
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in left { globalConcurrentExecutor.enqueue(job) }
    }

    /// Runs jobs until the code is done. Returns false if it was late; queued jobs run even after the limit.
    private func work(within limit: Duration?) -> Bool {
        let deadline = limit.map { ContinuousClock.now + $0 }
        while changed.wait(upTo: deadline.map { ContinuousClock.now.duration(to: $0) }) {
            let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
            guard let job else { return true }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
        return false
    }
}
