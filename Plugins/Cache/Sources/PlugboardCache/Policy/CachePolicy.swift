/// The decisions of a cache about requests, responses and failures (RFC 9111); a pure value.
///
///     request, entries found, now  ─▶ decision(for:entries:now:)             reuse · forward · gatewayTimeout
///     response to the forwarded    ─▶ decision(on:resolving:)                 pass · reuse · complete · resend,
///                                                                          and changes to the store
///     failure of the forwarded     ─▶ decision(afterFailureOf:isUnreachable:now:)  reuse · gatewayTimeout · pass
///
/// Moments are durations since 1970-01-01 00:00 UTC. Ages and lifetimes are never negative, whatever the clock shows.
struct CachePolicy: Sendable, Equatable {
    /// Whether the cache serves several users (RFC 9111 §1): then `private` responses and responses to `Authorization`
    /// are not stored, and `s-maxage`, `proxy-revalidate` and `CDN-Cache-Control` are obeyed.
    var isShared = false
    /// Percent of the time since `Last-Modified` for which a response without explicit freshness is fresh (RFC 9111
    /// §4.2.2).
    var heuristicPercent = 10
    /// The longest heuristic freshness.
    var heuristicLimit = Duration.seconds(7 * 86_400)
    /// How long after its freshness a response is served while the server is unreachable, if the server does not forbid
    /// it (RFC 9111 §4.2.4); nil: only within `stale-if-error`.
    var staleWhileUnreachable: Duration? = .seconds(7 * 86_400)
    /// The most responses of one key: variants, and parts of one representation; the oldest is removed.
    var variantLimit = 16
}
