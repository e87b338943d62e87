import PlugboardFieldValues
import PlugboardMessages

/// The delays that a server asks for in a response's fields; no delay is longer than `limit`.
public struct ServerDelay: Equatable, Sendable {
    /// The delay of `Retry-After` (RFC 9110 §10.2.3); zero for a past date, nil if the field is missing or invalid.
    public var retryAfter: Duration?
    /// The time until a used-up quota is restored; see `RateLimit`.
    public var rateLimit: Duration?
    /// The least that is left of a quota that is not used up.
    public var quota: Quota?

    /// Requests that a server takes within a time.
    public struct Quota: Equatable, Sendable {
        /// How many it still takes.
        public var left: Int
        /// The time until it takes more.
        public var time: Duration
    }

    /// About thirty thousand years: a longer delay would make sums overflow.
    public static let limit = Duration.seconds(1_000_000_000_000)

    /// The delays as they are.
    public init(retryAfter: Duration? = nil, rateLimit: Duration? = nil) {
        self.retryAfter = retryAfter
        self.rateLimit = rateLimit
    }

    /// The delays that the fields of a response ask for, in time that grows with their length.
    ///
    /// - Parameter wallClock: Time since 1970, to compare dates with.
    public init(reading fields: Fields, wallClock: Duration) {
        retryAfter = fields[.retryAfter].flatMap { ServerDelay.retryAfter($0, wallClock) }
        let limit = RateLimit(reading: fields)
        (rateLimit, quota) = (limit?.delay, limit?.quota)
    }

    private static func retryAfter(_ value: String, _ wallClock: Duration) -> Duration? {
        let text = trimmed(value)
        if let seconds = seconds(text) { return seconds }
        guard let date = HTTPDate(String(text), now: HTTPDate(wallClock)) else { return nil }
        return min(max(.seconds(date.seconds) - wallClock, .zero), limit)
    }

    /// Parses `delay-seconds`, which is any number of digits and nothing else.
    private static func seconds(_ text: Substring) -> Duration? {
        guard !text.isEmpty else { return nil }
        var seconds: Int64 = 0
        for byte in text.utf8 {
            guard (0x30...0x39).contains(byte) else { return nil }
            seconds = min(seconds * 10 + Int64(byte - 0x30), 1_000_000_000_000)
        }
        return .seconds(seconds)
    }

    private static func trimmed(_ value: String) -> Substring {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let start = value.utf8.drop(while: isBlank)
        let count = start.reversed().drop(while: isBlank).count
        return Substring(start.prefix(count))
    }
}
