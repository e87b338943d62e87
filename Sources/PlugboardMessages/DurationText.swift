/// A duration in the form in which configurations write it: a whole number and `ms`, `s`, `m`, `h` or `d`.
///
///     "The lock was not free within \(DurationText(limit))."
///     let limit = DurationText("30s")?.duration
public struct DurationText: Sendable, Hashable, CustomStringConvertible {
    /// The duration.
    public let duration: Duration

    /// The text of any duration. Parts of a millisecond are not written.
    public init(_ duration: Duration) { self.duration = duration }

    /// Reads a duration; nil for a text of another form.
    public init?(_ text: some StringProtocol) {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let units: [String: Int64] = ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let count = Int64(digits), let unit = units[String(text.dropFirst(digits.count))],
            count <= Int64.max / 1_000_000 / unit
        else { return nil }
        duration = .milliseconds(count * unit)
    }

    /// The text, in the largest unit that divides the duration: 180 seconds are `3m`.
    public var description: String {
        let milliseconds = duration.nanoseconds / 1_000_000
        for (unit, size) in [("d", 86_400_000 as Int64), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)]
        where milliseconds != 0 && milliseconds % size == 0 { return "\(milliseconds / size)\(unit)" }
        return "\(milliseconds)ms"
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to 64 bits.
    package var nanoseconds: Int64 {
        // Most durations need no division of 128 bits.
        if let attoseconds = Int64(exactly: attoseconds) { return attoseconds / 1_000_000_000 }
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, tooMuch) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return tooMuch ? (seconds < 0 ? .min : .max) : sum
    }
}
