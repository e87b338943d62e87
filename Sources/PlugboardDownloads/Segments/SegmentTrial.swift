/// Finds out how many requests are worth having. A value without effects.
///
/// All are begun at once, so that a short download has its speed from the start. After a while half of them are held.
/// If the others then bring nearly as much, those that were held are given up, and the same is tried with half of the
/// rest.
///
/// Servers that limit a connection may send nothing for most of each second. So requests are held only for a moment if
/// they seem to help, and are given up only after a longer one.
struct SegmentTrial: Sendable {
    enum Step: Equatable, Sendable {
        /// Nothing changes.
        case wait
        /// So many of the requests are to be held.
        case hold(Int)
        /// Those that are held do not help.
        case giveUp
        /// All that are left help.
        case done
    }

    private enum State {
        /// Requests have no byte yet.
        case beginning(since: ContinuousClock.Instant)
        case running(since: ContinuousClock.Instant, count: Int)
        /// What is on its way to those that are held still comes.
        case settling(Trial)
        case holding(Trial, since: ContinuousClock.Instant, count: Int)
        case done
    }
    private struct Trial {
        /// The bytes a second that all requests brought.
        let rate: Double
        let running: Int
        let held: Int
    }
    private var state: State
    /// How long requests may take to bring a first byte, and how long all of them are measured.
    private let patience: Duration

    init(patience: Duration, now: ContinuousClock.Instant) {
        self.patience = patience
        state = .beginning(since: now)
    }

    /// - Parameters:
    ///   - count: The bytes received so far.
    ///   - running: The number of requests that have not ended.
    ///   - isWaiting: Whether a request has brought no byte yet.
    mutating func step(now: ContinuousClock.Instant, count: Int, running: Int, isWaiting: Bool) -> Step {
        switch state {
        case .beginning(let since):
            if !isWaiting || now - since >= patience { state = .running(since: now, count: count) }
        case .running(let since, let first):
            guard now - since >= patience else { break }
            guard running > 1 else {
                state = .done
                return .done
            }
            let rate = SegmentTrial.rate(count - first, now - since)
            state = .settling(Trial(rate: rate, running: running, held: running / 2))
            return .hold(running / 2)
        case .settling(let trial): state = .holding(trial, since: now, count: count)
        case .holding(let trial, let since, let first):
            let rate = SegmentTrial.rate(count - first, now - since)
            // At best, so many more requests bring so much more. A quarter of that is enough.
            let share = Double(trial.held) / Double(trial.running - trial.held)
            if trial.rate >= rate * (1 + share / 4) {
                state = .done
                return .done
            }
            guard now - since >= patience / 2 else { break }
            state = .running(since: now, count: count)
            return .giveUp
        case .done: return .done
        }
        return .wait
    }

    private static func rate(_ count: Int, _ time: Duration) -> Double {
        Double(count) / max(time / .seconds(1), 0.001)
    }
}
