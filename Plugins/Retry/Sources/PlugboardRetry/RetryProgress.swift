import PlugboardKit

/// The state of one turn of an exchange. Used by its hooks only, which never overlap.
final class RetryProgress {
    var attempts = 0
    var started: Duration?
    /// The permit to probe an origin whose circuit is half-open.
    var permit: (origin: Origin, number: UInt64)?
    /// The token for the next repetition, and the number of attempts when it was taken.
    var token: (origin: Origin, attempt: Int)?
    /// The decision that waits for a token.
    var awaited: RetryPolicy.Decision?
}
