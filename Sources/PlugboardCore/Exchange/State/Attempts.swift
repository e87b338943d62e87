import PlugboardBorder

/// The attempts of one exchange: how many there were, and whether there may be another. Decides only; sends nothing.
struct Attempts {
    /// How often in a row a request is sent again without asking a plugin.
    static let repeatLimit = 3

    /// The number of the last attempt; the first one is 1.
    private(set) var count = 0
    /// How often in a row the attempt was repeated without asking a plugin.
    private(set) var repeats = 0
    private(set) var resends = 0
    /// Where the last attempt went.
    private(set) var sentURL: String?
    /// The attempt under way.
    var current: AttemptRun?
    /// The loop's time when the last attempt began to wait for a connection.
    var asked: Int64 = 0

    /// The same as `count`, or nil before the first attempt: what errors carry.
    var last: Int? { count == 0 ? nil : count }

    /// What the event `attemptBegan` says: `first`, `repeat` or `resend`.
    var reason: String { repeats > 0 ? "repeat" : count == 1 ? "first" : "resend" }

    /// Whether a new connection is needed: a repeated attempt must not meet another connection that is being closed.
    var needsFreshConnection: Bool { repeats > 0 }

    /// Called when the request has passed all plugins.
    mutating func beginSeries() { repeats = 0 }

    /// Notes that an attempt begins, at this URL.
    mutating func begin(_ url: String) {
        count += 1
        sentURL = url
    }

    /// Counts a resend. False if there were too many.
    mutating func countResend(limit: Int) -> Bool {
        resends += 1
        return resends < limit
    }

    /// Whether the request may be sent again without asking a plugin, because that cannot do anything twice: the server
    /// has not acted on it, or it is idempotent and met a connection that was just being closed (RFC 9110 §9.2.2, RFC
    /// 9113 §8.7).
    func mayRepeat(after code: PlugboardError.Code, isIdempotent: Bool, limit: Int) -> Bool {
        (code == .transportUnprocessed || code == .transportStale && isIdempotent) && repeats < Attempts.repeatLimit
            && count < limit
    }

    mutating func countRepeat() { repeats += 1 }

    /// The error for an exchange that was sent too often.
    static func runaway(_ count: Int) -> PlugboardError {
        PlugboardError(
            .runaway,
            "The exchange was stopped after it was sent \(count) times (kernel.attemptLimit). "
                + "A plugin may be sending it again endlessly.")
    }
}
