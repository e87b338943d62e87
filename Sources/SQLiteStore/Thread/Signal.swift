#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Lets one thread sleep until another has raised it. Each raise ends one wait, also a wait that begins later.
///
/// Sendable because the three words behind the pointers are touched only through their POSIX functions, or under the
/// mutex.
final class Signal: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var raised = 0

    init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // A wall clock that is set must not lengthen a wait.
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

    func raise() {
        pthread_mutex_lock(mutex)
        raised += 1
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// False if the time was up first; without a limit it never is.
    @discardableResult
    func wait(upTo limit: Duration? = nil) -> Bool {
        let deadline = limit.map(Signal.deadline)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while raised == 0 {
            if var deadline {
                if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return false }
            } else {
                pthread_cond_wait(condition, mutex)
            }
        }
        raised -= 1
        return true
    }

    private static func deadline(after limit: Duration) -> timespec {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        // A year is for ever, and cannot overflow.
        let (seconds, attoseconds) = min(max(limit, .zero), .seconds(31_536_000)).components
        let nanoseconds = Int64(now.tv_nsec) + attoseconds / 1_000_000_000
        return timespec(
            tv_sec: now.tv_sec + Int(seconds) + Int(nanoseconds / 1_000_000_000),
            tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}
