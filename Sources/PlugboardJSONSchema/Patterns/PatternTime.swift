#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The time that all matches of one document take, estimated from some of them.
///
/// Each match has a limit of its own; many that stay just below it would take minutes.
struct PatternTime {
    /// In nanoseconds.
    private static let limit: UInt64 = 2_000_000_000
    /// Of so many matches, one at a random place is timed, because reading the clock costs as much as a short match.
    private static let interval: UInt64 = 16

    private var random: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ KeyHash.processSeed | 1
    private var spent: UInt64 = 0
    private var start: UInt64 = 0

    /// Whether this match is timed.
    @inline(__always)
    mutating func begin() -> Bool {
        random ^= random &<< 13
        random ^= random &>> 7
        random ^= random &<< 17
        guard random & (PatternTime.interval &- 1) == 0 else { return false }
        start = PatternTime.now
        return true
    }

    /// Whether all matches together have exceeded the limit.
    mutating func end() -> Bool {
        spent &+= (PatternTime.now &- start) &* PatternTime.interval
        return spent > PatternTime.limit
    }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
