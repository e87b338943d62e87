import CPlugboardEpoll  // eventfd
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A thread that checks at intervals whether the same call of a plugin still holds the loop.
///
/// It costs the loop nothing: `CallMark` is written anyway, and the loop reads no clock for it.
final class Watchdog: Sendable {
    /// Becomes readable when the thread has to end; the thread closes it.
    private let end: Int32

    /// Nil if the system gives no file descriptor or no thread.
    ///
    /// - Parameter stalled: Runs on the watchdog's thread, once for a call that lasts longer than the limit, before it
    ///   has lasted twice as long.
    init?(_ mark: CallMark, limit: Duration, stalled: @escaping @Sendable (CallMark.Call) -> Void) {
        let end = eventfd(0, Int32(EFD_CLOEXEC))
        guard end >= 0 else { return nil }
        guard BlockingThread.startIfPossible({ Watchdog.watch(mark, limit, until: end, stalled) }) else {
            close(end)
            return nil
        }
        self.end = end
    }

    /// The thread ends soon.
    deinit { eventfd_write(end, 1) }

    private static func watch(
        _ mark: CallMark, _ limit: Duration, until end: Int32, _ stalled: (CallMark.Call) -> Void
    ) {
        // Signals are left to the program's own threads.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        let milliseconds = Int32(clamping: max(limit.nanoseconds / 1_000_000, 1))
        var last: CallMark.Call?
        var reported: CallMark.Call?
        var ending = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&ending, 1, milliseconds)
            if count > 0 { break }
            // Only 0 means that the time has passed; a signal may have come before signals were blocked.
            if count < 0 { continue }
            let call = mark.call
            if let call, call == last, call != reported {
                stalled(call)
                reported = call
            }
            last = call
        }
        close(end)
    }
}
