/// How many requests run at the same time. A value without effects.
///
/// The first request runs alone for a moment. Then their number doubles, as long as each time they bring together at
/// least a quarter of what so many more requests would bring at best. Those that did not help are given up, and no
/// other is begun.
///
/// Servers that limit a connection send a part at once and then wait, some for most of each second. So the first moment
/// is not measured, the slower of the next two counts, and requests are given up only after two measurements.
struct SegmentGrowth: Sendable {
    enum Step: Equatable, Sendable {
        /// So many requests are to run in all.
        case begin(Int)
        /// It is not decided yet.
        case wait
        /// The last ones did not help: so many go on.
        case keep(Int)
        /// All that run go on, and no other is begun.
        case done
    }

    private enum State {
        /// The new ones have no byte yet.
        case beginning(since: ContinuousClock.Instant)
        /// - earlier: The rate of the measurement before, if this is the second one.
        case measuring(since: ContinuousClock.Instant, count: Int, earlier: Double? = nil)
        case done
    }
    private var state: State
    private let limit: Int
    /// How long requests may take to bring a first byte. They are judged then.
    private let patience: Duration
    private var running = 1
    /// The number of requests before the last ones were begun, and the bytes a second that they brought.
    private var before: (running: Int, rate: Double)?

    /// - Parameter limit: The most requests.
    init(limit: Int, patience: Duration, now: ContinuousClock.Instant) {
        self.limit = limit
        self.patience = patience
        state = .beginning(since: now)
    }

    /// - Parameters:
    ///   - count: The bytes received so far.
    ///   - isWaiting: Whether a request has brought no byte yet.
    ///   - hasFailed: Whether the server of one of the last requests was of no use. They are then not judged: others
    ///     may help.
    mutating func step(
        now: ContinuousClock.Instant, count: Int, isWaiting: Bool, hasFailed: Bool = false
    ) -> Step {
        switch state {
        case .beginning(let since):
            if !isWaiting || now - since >= patience { state = .measuring(since: now, count: count) }
            return .wait
        case .measuring(let since, let first, let earlier):
            var rate = Double(count - first) / max((now - since) / .seconds(1), 0.001)
            if let before, !hasFailed {
                let share = Double(running - before.running) / Double(before.running)
                if rate < before.rate * (1 + share / 4) {
                    if earlier == nil {
                        state = .measuring(since: since, count: first, earlier: rate)
                        return .wait
                    }
                    state = .done
                    return .keep(before.running)
                }
            } else if before == nil {
                guard let earlier else {
                    state = .measuring(since: now, count: count, earlier: rate)
                    return .wait
                }
                rate = min(rate, earlier)
            }
            guard running < limit else {
                state = .done
                return .done
            }
            before = (running, rate)
            running = min(2 * running, limit)
            state = .beginning(since: now)
            return .begin(running)
        case .done: return .done
        }
    }
}
