/// A counting semaphore: each signal ends one wait, even a wait that begins later.
///
/// Sendable because the mutex and the condition are used only through their POSIX functions, and the counter under the
/// mutex.
package final class Semaphore: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var count = 0

    /// A semaphore whose count is 0.
    package init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // Setting the wall clock must not lengthen a wait.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Ends one wait. From any thread.
    package func signal() {
        pthread_mutex_lock(mutex)
        count += 1
        pthread_mutex_unlock(mutex)
        // After the unlock: the woken thread would wait for the mutex, which is a second change of threads.
        pthread_cond_signal(condition)
    }

    /// Blocks until a signal. Returns false if the limit was reached first.
    @discardableResult
    package func wait(upTo limit: Duration? = nil) -> Bool {
        let deadline = limit.map(Semaphore.deadline)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while count == 0 {
            if var deadline {
                if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return false }
            } else {
                pthread_cond_wait(condition, mutex)
            }
        }
        count -= 1
        return true
    }

    private static func deadline(after limit: Duration) -> timespec {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        // Limited to a year, so that the sum cannot overflow.
        let (seconds, attoseconds) = min(max(limit, .zero), .seconds(31_536_000)).components
        let nanoseconds = Int64(now.tv_nsec) + attoseconds / 1_000_000_000
        return timespec(
            tv_sec: now.tv_sec + Int(seconds) + Int(nanoseconds / 1_000_000_000),
            tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}
