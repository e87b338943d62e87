import Dispatch
import PlugboardKit
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs a closure when a time is up. Should the process still be there some seconds later, for a plugin may be stuck, it
/// is ended with the status and the message that it would have ended with.
final class TimeLimit: Sendable {
    private enum State { case running, reached, lifted }

    /// What to throw once the time is up.
    let failure: CommandFailure
    private let state = Mutex(State.running)

    init(_ duration: Duration, _ message: String, _ cancel: @escaping @Sendable () -> Void) {
        failure = CommandFailure(.timeout, message)
        let wait = DispatchTimeInterval.nanoseconds(Int(clamping: duration.nanoseconds))
        DispatchQueue.global().asyncAfter(deadline: .now() + wait) { [self] in
            guard reach() else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + Interrupt.patience) {
                StandardError.say(message)
                _exit(ExitStatus.timeout.number)
            }
            cancel()
        }
    }

    var isReached: Bool { state.withLock { $0 == .reached } }

    /// Nothing comes of it any more, unless the time is up already.
    func lift() {
        state.withLock { if $0 == .running { $0 = .lifted } }
    }

    private func reach() -> Bool {
        state.withLock { state in
            guard state == .running else { return false }
            state = .reached
            return true
        }
    }
}
