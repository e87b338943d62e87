import CacheOptions
import PlugboardKit

/// What a request says of caching, read once.
struct RequestFacts: Sendable {
    /// What a method means to a cache.
    enum Kind: Sendable {
        case get
        case head
        /// Any method, asked for as if its body were a part of the URL: it changes nothing, and its answer may be kept.
        case search
        /// Safe, but nothing is kept of it: OPTIONS, TRACE, and a GET whose body is no part of the key.
        case safe
        /// Everything else, the unknown too: what is stored under its URL may no longer hold (RFC 9111 §4.4).
        case unsafe
    }

    /// What the program says of freshness, beside the standard.
    struct Own: Sendable, Equatable {
        /// Fresh for so long from its arrival on, where the server says nothing.
        var timeToLive: Duration?
        /// The time to live beats also what the server says.
        var overrides = false
        /// Answers of another version are as good as not stored.
        var version = ""
    }

    let kind: Kind
    let key: CacheKey
    /// In the normal form that answers are stored under.
    let url: String
    let mode: CacheMode
    let own: Own
    let fields: Fields
    let directives: RequestDirectives
    let conditions: Conditions

    /// - Parameter body: Whether the request has one, and whether the key holds it.
    init(
        method: PlugboardKit.Method, key: CacheKey, url: String, fields: Fields, mode: CacheMode = .default, own: Own = Own(),
        body: RequestBody = .none
    ) {
        self.key = key
        self.url = url
        self.mode = mode
        self.own = own
        self.fields = fields
        kind = RequestFacts.kind(method, body)
        (directives, conditions) = RequestFacts.scan(fields)
    }

    enum RequestBody: Sendable { case none, inKey, notInKey }

    /// Which conditions and partial wishes of the caller's own are there (RFC 9110 §13.1, §14.2).
    struct Conditions: OptionSet, Sendable {
        let rawValue: UInt8
        static let ifNoneMatch = Conditions(rawValue: 1)
        static let ifModifiedSince = Conditions(rawValue: 2)
        static let range = Conditions(rawValue: 4)
        static let ifRange = Conditions(rawValue: 8)
        /// `If-Match` or `If-Unmodified-Since`, which only the origin can judge (RFC 9111 §4.3.2).
        static let originOnly = Conditions(rawValue: 16)
        static let authorization = Conditions(rawValue: 32)
    }
}
