import Glibc
import Testing

/// Expects that a reader takes linear time: for eight times the input, at most 24 times as long.
///
/// Measures the processor time of this thread, and takes the best of several runs, so that a busy machine has no
/// influence. A few milliseconds are always fast enough. A reader with quadratic time takes 64 times as long.
///
/// - Parameters:
///   - size: the smaller of the two sizes.
///   - input: makes an input of about a size.
public func expectLinearTime<Input>(
    _ what: String, size: Int = 24_000, input: (Int) -> Input, read: (Input) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let (small, large) = (input(size), input(size * 8))
    var (smallTime, largeTime) = (UInt64.max, UInt64.max)
    for _ in 0..<4 {
        smallTime = min(smallTime, threadTime { read(small) })
        largeTime = min(largeTime, threadTime { read(large) })
        if largeTime < 20_000_000 || largeTime / 24 < max(smallTime, 1) { return }
    }
    Issue.record(
        "\(what): \(size) take \(smallTime / 1000) µs, \(size * 8) take \(largeTime / 1000) µs",
        sourceLocation: sourceLocation)
}

/// Nanoseconds of processor time.
private func threadTime(_ work: () -> Void) -> UInt64 {
    func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
    let start = now()
    work()
    return now() - start
}

/// Values of fields that have made readers slow, or could: a beginning and a repeated part.
public let nastyShapes: [(name: String, make: @Sendable (Int) -> String)] = [
    ("escaped quotes", repeating(#"\""#, after: "a=\"")), ("open quotes", repeating("\"a, ")),
    ("quotes", repeating("\"")), ("commas", repeating(",")), ("commas and blanks", repeating(", ")),
    ("semicolons", repeating(";")), ("semicolons with names", repeating("a;b=c;")),
    ("one name", repeating("a,")), ("one argument", repeating("a=1, ")), ("quoted arguments", repeating(#"a="b,c", "#)),
    ("blanks", repeating(" ")), ("equals signs", repeating("=")), ("digits", repeating("1")),
    ("dots", repeating("../")), ("slashes", repeating("/")), ("percent signs", repeating("%")),
    ("escapes", repeating("%2e%2e/")), ("at signs", repeating("@")), ("colons", repeating(":")),
    ("at signs and slashes", repeating("@/")),
    ("brackets", repeating("[")), ("backslashes", repeating("\\")), ("letters", repeating("a")),
    ("bytes beyond ASCII", repeating("\u{e9}")), ("challenges", repeating(#"a b="c", d e, "#)),
    ("many names", { size in (0..<size / 7).map { "n\($0)" }.joined(separator: ",") }),
    ("many parameters", { size in "a" + (0..<size / 9).map { ";p\($0)=1" }.joined() }),
    ("many members", { size in (0..<size / 9).map { "m\($0)=1" }.joined(separator: ",") }),
]

private func repeating(_ part: String, after start: String = "") -> @Sendable (Int) -> String {
    { size in start + String(repeating: part, count: size / part.utf8.count) }
}
