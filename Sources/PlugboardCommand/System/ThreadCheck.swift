import Dispatch
import PlugboardKit
import PlugboardSystem

/// Finds out at the start whether the system starts threads, because libdispatch tries again without end where it does
/// not, and the process would hang.
enum ThreadCheck {
    /// Threads of libdispatch, of an event loop, of a name look-up and of a plugin's command.
    private static let count = 8

    /// Starts threads, all at the same time, and ends them. Returns the error if one cannot be started.
    static func error() -> CommandFailure? {
        let gate = DispatchSemaphore(value: 0)
        var threads: [pthread_t] = []
        var code: Int32 = 0
        while threads.count < count, code == 0 {
            var thread = pthread_t()
            code = BlockingThread.create(&thread) { gate.wait() }
            if code == 0 { threads.append(thread) }
        }
        for _ in threads { gate.signal() }
        for thread in threads { pthread_join(thread, nil) }
        return code == 0
            ? nil
            : CommandFailure(
                .failure, "The system starts no further thread (\(systemText(code))). Raise the limit (ulimit -u).")
    }
}
