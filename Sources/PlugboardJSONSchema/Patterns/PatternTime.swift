import PlugboardSystem

/// The processor time of all matches of one document: measured for counted matches, estimated for others by
/// samples.
///
/// Uses the time of the thread, so that a busy machine does not change the result.
struct PatternTime {
    /// The limit in nanoseconds.
    private static let limit: UInt64 = 2_000_000_000
    /// One of this many matches, at a random place, is timed, because reading the clock is slower than a short match.
    private static let interval: UInt64 = 64

    private var random: UInt64
    private var spent: UInt64 = 0
    private var start: UInt64 = 0

    /// - Parameter seed: The seed of the process.
    init(seed: UInt64) { random = 0x9E37_79B9_7F4A_7C15 ^ seed | 1 }

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

    /// Begins a counted match, and returns the time at which it must end.
    mutating func beginCounted() -> UInt64 {
        start = PatternTime.now
        return start &+ (PatternTime.limit > spent ? PatternTime.limit &- spent : 0)
    }

    mutating func endCounted() { spent &+= PatternTime.now &- start }

    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
