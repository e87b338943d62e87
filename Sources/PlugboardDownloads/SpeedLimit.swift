/// Computes the delays that limit a download to a number of bytes per second.
struct SpeedLimit: Sendable {
    private let bytesPerSecond: Int
    /// The time at which the bytes so far are allowed to have arrived.
    private var due: ContinuousClock.Instant?
    /// The longest idle time that later bytes can make up for.
    private static let credit = Duration.milliseconds(100)

    /// Nil for no limit.
    init?(_ bytesPerSecond: Int?) {
        guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        self.bytesPerSecond = bytesPerSecond
    }

    /// The delay after these bytes.
    mutating func delay(after count: Int, now: ContinuousClock.Instant) -> Duration {
        let due = max(due ?? now, now - SpeedLimit.credit) + .seconds(1) * (Double(count) / Double(bytesPerSecond))
        self.due = due
        return due > now ? due - now : .zero
    }
}
