import Dispatch
import PlugboardKit
import PlugboardSystem
import Synchronization

/// Runs a closure after a time. If the process still runs some seconds later, because a plugin is stuck, it is ended
/// with the same status and message.
final class TimeLimit: Sendable {
    private enum State { case running, reached, lifted }

    /// The error to throw after the time.
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

    /// Stops the timer, unless the time is up already.
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
