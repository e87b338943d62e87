/// What a cache does with requests, answers and failures (RFC 9111): a pure value, which the plugin carries out.
///
///     request, entries found, now  ─▶ decision(for:entries:now:)             reuse · forward · gatewayTimeout
///     answer to what was forwarded ─▶ decision(on:resolving:)                 pass · reuse · complete · resend, and what is to be stored
///     no answer                    ─▶ decision(afterFailureOf:isUnreachable:now:)  reuse · gatewayTimeout · pass
///
/// Moments are durations since 1970-01-01 00:00 UTC; whatever a clock says, ages and lifetimes are never negative.
struct CachePolicy: Sendable, Equatable {
    /// Whether several users are served (RFC 9111 §1): then `private` answers and answers to `Authorization` are not kept, and
    /// `s-maxage`, `proxy-revalidate` and `CDN-Cache-Control` are obeyed.
    var isShared = false
    /// Percent of the time since `Last-Modified` for which an answer without explicit freshness is fresh (RFC 9111 §4.2.2).
    var heuristicPercent = 10
    /// More is never assumed.
    var heuristicLimit = Duration.seconds(7 * 86_400)
    /// How long after it went stale an answer is served while the server cannot be reached, where the server does not forbid it
    /// (RFC 9111 §4.2.4); nil: only as far as `stale-if-error` goes.
    var staleWhileUnreachable: Duration? = .seconds(7 * 86_400)
    /// Answers of one key that differ in their selecting fields or are parts of one representation; the oldest makes room.
    var variantLimit = 16
}
