/// How many bytes of the bodies were transferred.
public struct TransferProgress: Sendable, Equatable {
    /// Bytes of the request's body that were sent.
    public var sent = 0
    /// The length of the request's body; nil if it is not known.
    public var toSend: Int?
    /// Bytes of the response's body that were received.
    public var received = 0
    /// The length of the response's body; nil if it is not known.
    public var toReceive: Int?

    /// No bytes, and lengths that are not known.
    public init() {}
}

/// Decides when progress is told: at most ten times a second.
package struct ProgressPace: Sendable {
    private var last: ContinuousClock.Instant?

    package init() {}

    /// Whether the progress is to be told now. The first time it is.
    package mutating func isDue(now: ContinuousClock.Instant = .now) -> Bool {
        if let last, now - last < .milliseconds(100) { return false }
        last = now
        return true
    }
}
