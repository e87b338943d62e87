import CPlugboardEpoll  // eventfd
import PlugboardBorder
import PlugboardSystem

/// A thread that checks at intervals whether the same call of a plugin still holds a loop.
///
/// It costs the loops nothing: `CallMark` is written anyway, and no loop reads a clock for it.
final class Watchdog: Sendable {
    /// Becomes readable when the thread has to end; the thread closes it.
    private let end: Int32

    /// Nil if the system gives no file descriptor or no thread.
    ///
    /// - Parameters:
    ///   - marks: The mark of each loop.
    ///   - stalled: Runs on the watchdog's thread with the index of the loop, once for a call that lasts longer than
    ///     the limit, before it has lasted twice as long.
    init?(_ marks: [CallMark], limit: Duration, stalled: @escaping @Sendable (CallMark.Call, Int) -> Void) {
        let end = eventfd(0, Int32(EFD_CLOEXEC))
        guard end >= 0 else { return nil }
        guard BlockingThread.startIfPossible({ Watchdog.watch(marks, limit, until: end, stalled) }) else {
            close(end)
            return nil
        }
        self.end = end
    }

    /// Lets the thread end soon.
    deinit { eventfd_write(end, 1) }

    private static func watch(
        _ marks: [CallMark], _ limit: Duration, until end: Int32, _ stalled: (CallMark.Call, Int) -> Void
    ) {
        // Signals are left to the program's own threads.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        let milliseconds = Int32(clamping: max(limit.nanoseconds / 1_000_000, 1))
        var seen = marks.map { (mark: $0, last: CallMark.Call?.none, reported: CallMark.Call?.none) }
        var ending = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&ending, 1, milliseconds)
            if count > 0 { break }
            // Only 0 means that the time has passed; a signal may have come before signals were blocked.
            if count < 0 { continue }
            for loop in seen.indices {
                let call = seen[loop].mark.call
                if let call, call == seen[loop].last, call != seen[loop].reported {
                    stalled(call, loop)
                    seen[loop].reported = call
                }
                seen[loop].last = call
            }
        }
        close(end)
    }
}
