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
    /// What is to be asked in the background, once for all who get this answer meanwhile (RFC 5861 §3). The sub-request is the
    /// request, without the caller's own conditions and range, and with `edits`; its answer goes through `decision(on:resolving:)`.
    var revalidation: Forward?
}

/// A request that goes on to the server, and what was known when it did. The plugin keeps it until the answer is there.
struct Forward: Sendable {
    let request: RequestFacts
    /// What the plugin changes in the forwarded request: fields to set in place of all of their name, and fields to remove.
    var edits = Edits()
    /// Why (RFC 9211 §2.2).
    var reason: CacheStatus.ForwardReason
    /// What was found under the key.
    var entries: [CacheEntry] = []
    /// The one that the request selects, if any; what may be served if the server fails.
    var selected: CacheEntry?
    /// The entries that the added conditions stand for: what a 304 may confirm.
    var validated: [CacheEntry] = []
    /// The stored part whose missing rest is asked for (RFC 9111 §3.3).
    var completed: CacheEntry?
    /// False: neither the answer is stored nor what is stored changed.
    var mayStore = true
    /// Whether an identical request may wait for this one's answer: nothing in it is of this caller alone.
    var mayBeShared = false

    struct Edits: Sendable {
        var set = Fields()
        var removed: [FieldName] = []
    }
}
