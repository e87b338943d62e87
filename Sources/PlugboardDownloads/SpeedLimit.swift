/// The waits that keep a download at a number of bytes a second.
struct SpeedLimit: Sendable {
    private let bytesPerSecond: Int
    /// When the bytes so far are allowed to have come.
    private var due: ContinuousClock.Instant?
    /// The time without a byte that later bytes can make up for.
    private static let credit = Duration.milliseconds(100)

    /// Nil for no limit.
    init?(_ bytesPerSecond: Int?) {
        guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        self.bytesPerSecond = bytesPerSecond
    }

    /// How long to wait after these bytes.
    mutating func delay(after count: Int, now: ContinuousClock.Instant) -> Duration {
        let due = max(due ?? now, now - SpeedLimit.credit) + .seconds(1) * (Double(count) / Double(bytesPerSecond))
        self.due = due
        return due > now ? due - now : .zero
    }
}
