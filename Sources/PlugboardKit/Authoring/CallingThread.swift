import PlugboardSystem

/// Runs async code on the calling thread, which waits for it. Code that blocks there takes no thread from the pool that
/// tasks share.
///
/// Sendable because all that changes is touched under the lock.
final class CallingThread: TaskExecutor, @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [UnownedJob] = []
    private var isDone = false
    /// Whether the thread stopped waiting before the code was done.
    private var isAbandoned = false

    private init() {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        lock.initialize(to: pthread_mutex_t())
        changed.initialize(to: pthread_cond_t())
        pthread_mutex_init(lock, nil)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(lock)
        changed.deallocate()
        lock.deallocate()
    }

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
        while !thread.work(within: .seconds(3600)) {}
    }

    private func begin(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self) {
            await body()
            self.finish()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pthread_mutex_lock(lock)
        let isTaken = !isAbandoned
        if isTaken { jobs.append(job) }
        pthread_cond_signal(changed)
        pthread_mutex_unlock(lock)
        if !isTaken { globalConcurrentExecutor.enqueue(job) }
    }

    private func finish() {
        pthread_mutex_lock(lock)
        isDone = true
        pthread_cond_signal(changed)
        pthread_mutex_unlock(lock)
    }

    /// Moves the remaining jobs to the pool.
    private func abandon() {
        pthread_mutex_lock(lock)
        isAbandoned = true
        let left = jobs
        jobs = []
        pthread_mutex_unlock(lock)
        for job in left { globalConcurrentExecutor.enqueue(job) }
    }

    /// Runs jobs until the code is done. Returns false if it was late; queued jobs run even after the limit.
    private func work(within limit: Duration) -> Bool {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = Int64(deadline.tv_nsec) + limit.nanoseconds % 1_000_000_000
        deadline.tv_sec += Int(limit.nanoseconds / 1_000_000_000 + nanoseconds / 1_000_000_000)
        deadline.tv_nsec = Int(nanoseconds % 1_000_000_000)
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while !isDone {
            if jobs.isEmpty {
                guard pthread_cond_timedwait(changed, lock, &deadline) != ETIMEDOUT || !jobs.isEmpty || isDone else {
                    return false
                }
                continue
            }
            let job = jobs.removeFirst()
            pthread_mutex_unlock(lock)
            job.runSynchronously(on: asUnownedTaskExecutor())
            pthread_mutex_lock(lock)
        }
        return true
    }
}
