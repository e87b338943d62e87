import PlugboardQueueOptions

/// What a queue holds at most, and for how long. Times are in nanoseconds.
@_spi(QueueStores)
public struct QueueLimits: Sendable {
    /// The most requests without an outcome, and the most outcomes.
    public var requests = 100_000
    public var bytes = 256 << 20
    public var dropsOldest = false
    /// The most age of a request.
    public var age: Int64 = .max
    public var resultAge: Int64 = .max
    /// The longest wait. A later time comes from a clock that was set back.
    public var longestWait: Int64 = 300_000_000_000
    public var lease: Int64 = 30_000_000_000
}

extension QueueLimits {
    init(_ settings: QueueSettings) {
        self.init(
            requests: settings.limit, bytes: settings.bytes.bytes, dropsOldest: settings.whenFull == .dropOldest,
            age: settings.age.nanoseconds, resultAge: settings.resultAge.nanoseconds,
            longestWait: max(settings.delay, settings.delayLimit).nanoseconds, lease: settings.lease.nanoseconds)
    }
}
