import PlugboardKit
import Synchronization

/// One fetch of a secret, and the exchanges that wait for it. Called from any thread.
final class Flight: Sendable {
    typealias Outcome = Result<String, PlugboardError>

    private enum State {
        case under([@Sendable () -> Void])
        case over(Outcome)
    }

    private let state = Mutex(State.under([]))

    /// The outcome; nil while the fetch is under way.
    var outcome: Outcome? {
        state.withLock { if case .over(let outcome) = $0 { outcome } else { nil } }
    }

    /// Calls the closure once the fetch has ended, on any thread; false, without calling it, if it has ended already.
    func whenOver(_ act: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard case .under(let waiting) = state else { return false }
            state = .under(waiting + [act])
            return true
        }
    }

    /// Only the first call has an effect.
    func end(_ outcome: Outcome) {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            guard case .under(let waiting) = state else { return [] }
            state = .over(outcome)
            return waiting
        }
        for act in waiting { act() }
    }
}
