import PlugboardKit

/// The decision for a request.
enum RequestDecision: Sendable {
    /// A stored response is served. If `revalidation` is set, it is sent in the background.
    case reuse(Reuse)
    /// The request is sent to the server.
    case forward(Forward)
    /// The caller allows no network, and no stored response is usable (RFC 9111 §5.2.1.7): a 504 of the cache, without
    /// a body.
    case gatewayTimeout(ResponseHead, CacheStatus)
}

/// A response from the store, with the head and body that the caller gets.
struct Reuse: Sendable {
    enum Freshness: Sendable, Equatable {
        case fresh
        case stale
        /// The server has just confirmed it.
        case revalidated
    }

    enum Form: Sendable {
        /// The stored head with this `Age`. It is built only if the entry has no copy of it.
        case stored(age: Int64)
        case made(ResponseHead)
    }

    var form: Form
    /// The entry whose body is read, which counts as a use.
    var entry: CacheEntry
    /// The range of the stored body; nil for a response without a body (HEAD, 204, 304).
    var body: Range<Int>?
    var freshness: Freshness
    var status: CacheStatus
    /// The background request, sent once for all callers that get this response meanwhile (RFC 5861 §3). It is a GET,
    /// or a search with its own method and body, and has `revalidation.request.fields` with its edits. Its response
    /// goes through `decision(on:resolving:)` only.
    var revalidation: Forward?

    init(form: Form, entry: CacheEntry, body: Range<Int>?, freshness: Freshness, status: CacheStatus) {
        (self.form, self.entry, self.body, self.freshness, self.status) = (form, entry, body, freshness, status)
    }

    /// The head, with `Age` unless the response was validated; `Cache-Status` is added later.
    var head: ResponseHead {
        switch form {
        case .stored(let age): entry.response.head(age: age)
        case .made(let head): head
        }
    }
}

/// A response to a forwarded request.
struct NetworkResponse: Sendable {
    var forward: Forward
    var status: Int
    var fields: Fields
    /// When the request was sent, since 1970.
    var requested: Duration
    /// When the response's head was received, since 1970.
    var received: Duration
}

/// The decision for a response. Other changes come first; `store` is carried out when the body has ended completely.
struct ResponseDecision: Sendable {
    indirect enum Outcome: Sendable {
        /// The response passes to the caller.
        case pass
        /// The caller gets a stored response instead: confirmed by a 304, or stale instead of a server's error.
        case reuse(Reuse)
        /// The caller gets the stored part and the received part as one body.
        case complete(Completion)
        /// The server's response to a condition or range of the cache is of no use. The request is sent again with
        /// these edits, which undo the first ones; at most once, because it then has no conditions of the cache.
        case resend(Forward)
    }

    var outcome: Outcome = .pass
    /// The response to store at the body's end. For a completion, the body is both parts.
    var store: Storing?
    /// The entries whose heads change; their bodies stay.
    var updates: [(entry: CacheEntry, response: StoredResponse)] = []
    var removes: [CacheEntry] = []
    /// The URLs whose responses must be validated before their next use (RFC 9111 §4.4), in normal form.
    var invalidates: [String] = []
    /// The URL whose responses are all removed, in normal form, because `store` replaces entries that were not looked
    /// up.
    var purges: String?
    var status: CacheStatus

    struct Storing: Sendable {
        let head: StoredHead
        /// The entries that the new one replaces.
        let replaced: [CacheEntry]
        /// The lengths that the body may have; with another length it is not committed. Nil: any length.
        let lengths: ClosedRange<Int>?

        var response: StoredResponse { head.response }

        init(response: StoredResponse, replaced: [CacheEntry], lengths: ClosedRange<Int>?) {
            head = StoredHead(response)
            self.replaced = replaced
            self.lengths = lengths
        }
    }

    /// How the two parts are joined (RFC 9111 §3.4).
    struct Completion: Sendable {
        /// The head with status 200 and the fields of both.
        var head: ResponseHead
        var entry: CacheEntry
        /// Whether the stored part precedes the received one.
        var storedFirst: Bool
        /// The length that the received part must have; otherwise the body is cut.
        var receivedLength: Int
    }
}

/// The decision for a request that failed.
enum FailureDecision: Sendable {
    /// A stored response is served (RFC 9111 §4.2.4, RFC 5861 §4).
    case reuse(Reuse)
    /// A stored response must not be served without validation (RFC 9111 §5.2.2.2): a 504 of the cache, without a body.
    case gatewayTimeout(ResponseHead, CacheStatus)
    /// The failure passes.
    case pass
}
