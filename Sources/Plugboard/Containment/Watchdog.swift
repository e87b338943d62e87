import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A thread that looks now and then whether one and the same call of a plugin still holds the loop.
///
/// It costs the loop nothing: whose call is under way stands in the `CallMark` anyway, and no clock is read there.
final class Watchdog: Sendable {
    /// While it is open, the thread looks.
    private let isWanted: Int32

    /// Nil where the system gives no file descriptor; without a thread for it, nobody looks.
    /// - Parameter stalled: Runs on the watchdog's thread, once for a call that lasts longer than the limit; before it has lasted twice as long.
    init?(_ mark: CallMark, limit: Duration, stalled: @escaping @Sendable (CallMark.Call) -> Void) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        isWanted = ends[1]
        let end = ends[0]
        if !BlockingThread.startIfPossible({ Watchdog.watch(mark, limit, until: end, stalled) }) { close(end) }
    }

    /// The thread ends soon.
    deinit { close(isWanted) }

    private static func watch(
        _ mark: CallMark, _ limit: Duration, until end: Int32, _ stalled: (CallMark.Call) -> Void
    ) {
        let milliseconds = Int32(clamping: max(limit.nanoseconds / 1_000_000, 1))
        var last: CallMark.Call?
        var told: CallMark.Call?
        var ending = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        while poll(&ending, 1, milliseconds) <= 0 {
            let call = mark.call
            if let call, call == last, call != told {
                stalled(call)
                told = call
            }
            last = call
        }
        close(end)
    }
}
