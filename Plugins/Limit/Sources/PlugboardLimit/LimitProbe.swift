/// The one request of a key that goes ahead when a pause ends. The others wait for its response, so that a server that
/// still refuses gets one request.
struct LimitProbe {
    /// The longest time that requests wait for the response, in nanoseconds.
    private static let limit: Int64 = 2_000_000_000

    /// Whether the next request goes ahead.
    private var isNeeded = false
    /// The request that goes ahead, and until when the others wait for its response.
    private var current: (admission: Admission, end: Int64)?

    /// Until when requests wait for the response; nil if they do not.
    func end(at now: Int64) -> Int64? { current.flatMap { $0.end > now ? $0.end : nil } }

    /// Lets the next request go ahead, because a pause begins.
    mutating func demand() { isNeeded = true }

    /// Lets none go ahead, because no request waits at the end of the pause.
    mutating func skip() { isNeeded = false }

    /// Called when an admission gets its place. Returns whether it goes ahead.
    mutating func begin(_ admission: Admission, at now: Int64) -> Bool {
        guard isNeeded else { return false }
        // One that goes ahead instead of another that took too long is not counted twice.
        let isFirst = current == nil
        (isNeeded, current) = (false, (admission, now + LimitProbe.limit))
        return isFirst
    }

    /// Lets the others follow, if this admission went ahead. Returns whether it did.
    ///
    /// - Parameter isSent: Whether it has had an attempt; otherwise another one goes ahead.
    mutating func end(of admission: Admission, isSent: Bool) -> Bool {
        guard current?.admission === admission else { return false }
        (current, isNeeded) = (nil, !isSent)
        return true
    }
}
