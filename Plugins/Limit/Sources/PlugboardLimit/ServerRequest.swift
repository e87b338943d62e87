import PlugboardKit
import PlugboardServerDelay

/// What a response asks of the requests that follow.
enum ServerRequest: Equatable {
    /// The server takes no request for this time.
    case pause(Duration)
    /// The server takes at most this number of requests within this time.
    case quota(left: Int, Duration)

    /// Nil if the server asks for nothing. Most heads have none of the fields.
    ///
    /// - Parameter wallClock: Time since 1970; dates are compared with it if the response has no date.
    static func read(_ head: borrowing Head, wallClock: @autoclosure () -> Duration, limit: Duration) -> Self? {
        guard
            head.contains(.retryAfter) || head.contains("RateLimit") || head.contains("RateLimit-Remaining")
                || head.contains("X-RateLimit-Remaining")
        else { return nil }
        return read(head.status, head.fields, wallClock: wallClock(), limit: limit)
    }

    /// The longest pause of `Retry-After` of 429 and 503 (RFC 6585 §4, RFC 9110 §15.6.4) and of quotas that are used
    /// up; otherwise a quota that is not.
    ///
    /// - Parameter limit: The longest time.
    static func read(_ status: Int, _ fields: Fields, wallClock: Duration, limit: Duration) -> Self? {
        let date = fields["Date"].flatMap { HTTPDate($0, now: HTTPDate(wallClock)) }
        let now = date.map { .seconds($0.seconds) } ?? wallClock
        let delay = ServerDelay(reading: fields, wallClock: now)
        let old = reset(fields, now)
        let pauses = [
            status == 429 || status == 503 ? delay.retryAfter : nil, delay.rateLimit, old?.left == 0 ? old?.time : nil,
        ]
        if let pause = pauses.compactMap(\.self).max(), pause > .zero { return .pause(min(pause, limit)) }
        let quotas = [delay.quota.map { (left: $0.left, time: $0.time) }, old].compactMap(\.self)
        guard let quota = quotas.first(where: { $0.left > 0 && $0.time > .zero }) else { return nil }
        return .quota(left: quota.left, min(quota.time, limit))
    }

    /// No document specifies the fields `X-RateLimit-…`. Servers give the reset as seconds, as seconds since 1970, or
    /// as milliseconds since 1970, in digits with or without a fraction: what cannot be a delay is a time.
    private static func reset(_ fields: Fields, _ now: Duration) -> (left: Int, time: Duration)? {
        guard let left = fields["X-RateLimit-Remaining"].flatMap(number),
            let reset = fields["X-RateLimit-Reset"].flatMap(number)
        else { return nil }
        if reset >= 100_000_000_000 { return (Int(left), .milliseconds(reset) - now) }
        return (Int(left), reset >= 1_000_000_000 ? .seconds(reset) - now : .seconds(reset))
    }

    /// Digits, and perhaps a fraction, which is rounded up; nil for any other text.
    private static func number(_ text: String) -> Int64? {
        let halves = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let digits = halves.first, (1...15).contains(digits.utf8.count),
            halves.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), let whole = Int64(digits)
        else { return nil }
        return whole + (halves.count > 1 && halves[1].utf8.contains { $0 != 0x30 } ? 1 : 0)
    }
}
