import PlugboardKit
import Synchronization

/// One fetch of a secret, and all who wait for it. From any thread.
final class Flight: Sendable {
    typealias Outcome = Result<String, PlugboardError>

    private enum State {
        case under([@Sendable () -> Void])
        case over(Outcome)
    }

    private let state = Mutex(State.under([]))

    /// What came of it; nil while it is under way.
    var outcome: Outcome? {
        state.withLock { if case .over(let outcome) = $0 { outcome } else { nil } }
    }

    /// Runs the closure once it is over, on whatever thread; false, without running it, if it is over already.
    func whenOver(_ act: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard case .under(let waiting) = state else { return false }
            state = .under(waiting + [act])
            return true
        }
    }

    /// The first call counts.
    func end(_ outcome: Outcome) {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            guard case .under(let waiting) = state else { return [] }
            state = .over(outcome)
            return waiting
        }
        for act in waiting { act() }
    }
}
