import PlugboardKit
import PlugboardSystem

/// Finds out at the start whether the system starts threads, because libdispatch tries again without end where it does
/// not, and the process would hang.
enum ThreadCheck {
    /// Threads of libdispatch, of an event loop, of a name look-up and of a plugin's command.
    private static let count = 8

    /// Starts threads, all at the same time, and ends them. Returns the error if one cannot be started.
    ///
    /// They use no memory of the heap, because the C library would give each a heap of its own.
    static func error() -> CommandFailure? {
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(gate, nil)
        pthread_mutex_lock(gate)
        var threads: [pthread_t] = []
        var code: Int32 = 0
        while threads.count < count, code == 0 {
            var thread = pthread_t()
            code = pthread_create(&thread, nil, wait, gate)
            if code == 0 { threads.append(thread) }
        }
        pthread_mutex_unlock(gate)
        for thread in threads { pthread_join(thread, nil) }
        pthread_mutex_destroy(gate)
        gate.deallocate()
        return code == 0
            ? nil
            : CommandFailure(
                .failure, "The system starts no further thread (\(systemText(code))). Raise the limit (ulimit -u).")
    }

    private static let wait: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let gate = context?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
        pthread_mutex_lock(gate)
        pthread_mutex_unlock(gate)
        return nil
    }
}
