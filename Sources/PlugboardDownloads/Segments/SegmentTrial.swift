/// Finds out how many concurrent requests increase the speed. A pure value.
///
/// All requests begin at once, so that a short download is fast from the start. After a while half of them are paused.
/// If the others are then nearly as fast, the paused requests are cancelled, and half of the remaining ones are tried
/// next.
///
/// Servers that limit a connection may send nothing for most of each second. Therefore requests are paused only for a
/// moment if they seem to help, and are cancelled only after a longer pause.
struct SegmentTrial: Sendable {
    enum Step: Equatable, Sendable {
        /// Nothing changes.
        case wait
        /// This number of requests must be paused.
        case hold(Int)
        /// The paused requests do not help.
        case giveUp
        /// All remaining requests help.
        case done
    }

    private enum State {
        /// Some requests have not received a byte.
        case beginning(since: ContinuousClock.Instant)
        case running(since: ContinuousClock.Instant, count: Int)
        /// Bytes that are already on their way to paused requests still arrive.
        case settling(Trial)
        case holding(Trial, since: ContinuousClock.Instant, count: Int)
        case done
    }
    private struct Trial {
        /// The bytes per second of all requests.
        let rate: Double
        let running: Int
        let held: Int
    }
    private var state: State
    /// How long requests may take to receive a first byte, and how long all of them are measured.
    private let patience: Duration

    init(patience: Duration, now: ContinuousClock.Instant) {
        self.patience = patience
        state = .beginning(since: now)
    }

    /// - Parameters:
    ///   - count: The bytes received so far.
    ///   - running: The number of requests that have not ended.
    ///   - isWaiting: Whether a request has not received a byte.
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
            // At best the speed is proportional to the number of requests. A quarter of that gain is enough.
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
