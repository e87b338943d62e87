/// Whether more requests at the same time help. A value without effects.
///
/// The first request runs alone for a moment. Then all that are allowed run, and if together they do not bring at least
/// a quarter more, nothing is divided any more.
struct SegmentGrowth: Sendable {
    enum Step: Equatable, Sendable {
        /// The others are begun.
        case begin
        /// It is not decided yet.
        case wait
        /// Requests at the same time do not help.
        case stop
        case done
    }

    private enum State {
        case alone(since: ContinuousClock.Instant, count: Int)
        /// Some of the others have no byte yet.
        case beginning(alone: Double)
        case together(alone: Double, since: ContinuousClock.Instant, count: Int)
        case done
    }
    private var state: State

    init(now: ContinuousClock.Instant, count: Int) { state = .alone(since: now, count: count) }

    /// - Parameters:
    ///   - count: The bytes received so far.
    ///   - isWaiting: Whether a request has brought no byte yet.
    mutating func step(now: ContinuousClock.Instant, count: Int, isWaiting: Bool) -> Step {
        switch state {
        case .alone(let since, let before):
            state = .beginning(alone: SegmentGrowth.rate(count - before, since, now))
            return .begin
        case .beginning(let alone):
            if !isWaiting { state = .together(alone: alone, since: now, count: count) }
            return .wait
        case .together(let alone, let since, let before):
            state = .done
            return SegmentGrowth.rate(count - before, since, now) < alone * 1.25 ? .stop : .done
        case .done: return .done
        }
    }

    /// Bytes a second.
    private static func rate(_ count: Int, _ since: ContinuousClock.Instant, _ now: ContinuousClock.Instant) -> Double {
        Double(count) / max((now - since) / .seconds(1), 0.001)
    }
}
