import PlugboardKit

/// Delays that double up to a limit, each drawn evenly from zero to that: "full jitter".
///
/// The spread keeps clients that failed together from coming back together.
struct Backoff: Sendable {
    /// The most before the first repetition.
    var base = Duration.milliseconds(100)
    /// The most before any.
    var limit = Duration.seconds(10)

    /// - Parameters:
    ///   - repetition: Counted from 1.
    ///   - random: Evenly spread over all its values.
    func delay(before repetition: Int, random: UInt64) -> Duration {
        let ceiling = UInt64(clamping: ceiling(before: repetition).nanoseconds)
        // The ceiling is at most 2⁶³ − 1, and so is the part of it that is drawn.
        return .nanoseconds(Int64(clamping: random.multipliedFullWidth(by: ceiling + 1).high))
    }

    /// The most that `delay` can be.
    func ceiling(before repetition: Int) -> Duration {
        let base = max(base.nanoseconds, 0)
        let (doubled, overflow) = base.multipliedReportingOverflow(by: 1 << Int64(min(max(repetition, 1), 63) - 1))
        return .nanoseconds(min(overflow ? .max : doubled, max(limit.nanoseconds, 0)))
    }
}
