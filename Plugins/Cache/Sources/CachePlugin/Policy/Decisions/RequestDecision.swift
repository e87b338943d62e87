import PlugboardKit

/// What becomes of a request.
enum RequestDecision: Sendable {
    /// Answered from the store. The plugin responds with it; if `revalidation` is there, it sends that in the background too.
    case reuse(Reuse)
    /// It goes on.
    case forward(Forward)
    /// The caller wants no network, and nothing fits (RFC 9111 §5.2.1.7): a 504 of the cache's own, without a body.
    case gatewayTimeout(ResponseHead, CacheStatus)
}

/// An answer from the store: head and body as the caller gets them.
struct Reuse: Sendable {
    enum Freshness: Sendable, Equatable {
        case fresh
        case stale
        /// The server has just said that it holds.
        case revalidated
    }

    /// With `Age` where it was not validated; `Cache-Status` is not yet in it.
    var head: ResponseHead
    /// What the body is read from, and counted as used.
    var entry: CacheEntry
    /// Bytes of the stored body that are given; nil: the answer has no body (HEAD, 204, 304).
    var body: Range<Int>?
    var freshness: Freshness
    var status: CacheStatus
    /// What is to be asked in the background, once for all who get this answer meanwhile (RFC 5861 §3): a GET (of a search, its own method and
    /// body) with `revalidation.request.fields` and its edits. The answer goes through `decision(on:resolving:)`, and to nobody.
    var revalidation: Forward?
}
