import PlugboardKit

/// Delays that double up to a limit; with jitter, each is drawn evenly from zero to that value ("full jitter").
///
/// The jitter spreads the repetitions of clients that failed at the same time.
struct Backoff: Sendable {
    /// The longest delay before the first repetition.
    var base = Duration.milliseconds(100)
    /// The longest delay before any repetition.
    var limit = Duration.seconds(10)
    var hasJitter = true

    /// - Parameters:
    ///   - repetition: Counted from 1.
    ///   - random: A random number, evenly distributed.
    func delay(before repetition: Int, random: UInt64) -> Duration {
        guard hasJitter else { return ceiling(before: repetition) }
        let ceiling = UInt64(clamping: ceiling(before: repetition).nanoseconds)
        // The ceiling is at most 2⁶³ − 1, so the drawn delay is too.
        return .nanoseconds(Int64(clamping: random.multipliedFullWidth(by: ceiling + 1).high))
    }

    /// The longest possible delay.
    func ceiling(before repetition: Int) -> Duration {
        let base = max(base.nanoseconds, 0)
        let (doubled, overflow) = base.multipliedReportingOverflow(by: 1 << Int64(min(max(repetition, 1), 63) - 1))
        return .nanoseconds(min(overflow ? .max : doubled, max(limit.nanoseconds, 0)))
    }
}
