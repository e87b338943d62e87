import PlugboardKit

/// What answers are found under: one text that holds the URL and the chosen parts of a request (RFC 9111 §2). Answers
/// to requests of the same key differ by their selecting fields only.
struct CacheKey: Hashable, Sendable {
    let text: String
}

/// A stored answer without its body: what was received, and what is needed to use it again.
struct StoredResponse: Sendable {
    var key: CacheKey
    /// Of the request, without fragment; what purging and invalidation go by.
    var url: String
    var status: Int
    /// As received, and updated by later answers; never `Connection` and what it names.
    var fields: Fields
    /// When the request was sent and the answer's head received, since 1970-01-01 00:00 UTC.
    var requested: Duration
    var received: Duration
    /// The fields of the request that `Vary` names, in normal form (RFC 9111 §4.1).
    var selecting: [SelectingField] = []
    /// The version that the program gave when it was stored; an answer of another one is not served.
    var version = ""
    /// How long it is fresh from `received` on, by the program's word.
    var timeToLive: Duration?
    /// Set when it must not be used without validation any more (RFC 9111 §4.4).
    var isInvalidated = false
    /// Of an incomplete answer: the bytes of the whole that the body holds (RFC 9111 §3.3). Nil: the body is whole.
    var range: StoredRange?

    struct SelectingField: Sendable, Equatable {
        /// In lower case.
        var name: String
        /// Nil if the request had no such field.
        var value: String?
    }

    /// Bytes `first...` of a representation of `complete` bytes, if that is known.
    struct StoredRange: Sendable, Equatable {
        var first: Int
        var complete: Int?
    }
}
