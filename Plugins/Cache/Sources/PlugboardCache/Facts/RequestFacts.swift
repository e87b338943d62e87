import PlugboardCacheOptions
import PlugboardKit

/// What a request says about caching, parsed once and shared.
final class RequestFacts: Sendable {
    /// What a method means to a cache.
    enum Kind: Sendable {
        case get
        case head
        /// Any method whose body the key contains. The cache treats it as safe, and its response may be stored.
        case search
        /// A safe method whose responses are not stored: OPTIONS, TRACE, and a GET whose body is not in the key.
        case safe
        /// All other methods, including unknown ones: they invalidate stored responses of their URL (RFC 9111 §4.4).
        case unsafe
    }

    /// The program's own rules of freshness.
    struct Own: Sendable, Equatable {
        /// How long a response is fresh from its arrival, if the server does not specify it.
        var timeToLive: Duration?
        /// Whether the time to live takes precedence over the server's.
        var overrides = false
        /// Responses stored under another version are ignored.
        var version = ""
    }

    let kind: Kind
    /// Whether the method is POST, whose response may describe the state of its URL (RFC 9110 §9.3.3).
    let isPost: Bool
    let key: CacheKey
    /// The URL in normal form, under which responses are stored.
    let url: String
    let mode: CacheMode
    let own: Own
    let fields: Fields
    let directives: RequestDirectives
    let conditions: Conditions
    /// Whether the server's identity is verified. Without verification, no response is stored or reused.
    let isVerified: Bool

    /// - Parameter body: Whether the request has a body, and whether the key contains it.
    init(
        method: PlugboardKit.Method, key: CacheKey, url: String, fields: Fields, mode: CacheMode = .default,
        own: Own = Own(),
        body: RequestBody = .none, isVerified: Bool = true
    ) {
        self.isVerified = isVerified
        self.key = key
        self.url = url
        self.mode = mode
        self.own = own
        self.fields = fields
        kind = RequestFacts.kind(method, body)
        isPost = method == .post
        (directives, conditions) = RequestFacts.scan(fields)
    }

    enum RequestBody: Sendable { case none, inKey, notInKey }

    /// A copy with another kind, other fields and conditions.
    private init(_ other: RequestFacts, kind: Kind, fields: Fields, conditions: Conditions) {
        (self.kind, self.fields, self.conditions) = (kind, fields, conditions)
        (isPost, key, url, mode, own) = (other.isPost, other.key, other.url, other.mode, other.own)
        isVerified = other.isVerified
        directives = other.directives
    }

    /// The caller's own conditions and ranges (RFC 9110 §13.1, §14.2).
    struct Conditions: OptionSet, Sendable {
        let rawValue: UInt8
        /// The conditions that make the response specific to this caller.
        static let all: Conditions = [.ifNoneMatch, .ifModifiedSince, .range, .ifRange, .originOnly]
        static let ifNoneMatch = Conditions(rawValue: 1)
        static let ifModifiedSince = Conditions(rawValue: 2)
        static let range = Conditions(rawValue: 4)
        static let ifRange = Conditions(rawValue: 8)
        /// `If-Match` or `If-Unmodified-Since`, which only the origin can evaluate (RFC 9111 §4.3.2).
        static let originOnly = Conditions(rawValue: 16)
        static let authorization = Conditions(rawValue: 32)
    }

    /// Whether an entry was stored under the version of this request.
    func isOfOwnVersion(_ entry: CacheEntry) -> Bool { entry.response.version == own.version }

    /// The same request without what is specific to the caller: a GET without conditions and range.
    var withoutConditions: RequestFacts {
        var fields = fields
        for name: FieldName in [.ifNoneMatch, .ifModifiedSince, .range, .ifRange, .ifMatch, .ifUnmodifiedSince] {
            fields.remove(name)
        }
        return RequestFacts(
            self, kind: kind == .head ? .get : kind, fields: fields, conditions: conditions.subtracting(.all))
    }

    private static func kind(_ method: PlugboardKit.Method, _ body: RequestBody) -> Kind {
        switch method {
        case .get: body == .notInKey ? .safe : .get
        case .head: .head
        default: body == .inKey ? .search : method.isSafe ? .safe : .unsafe
        }
    }

    private static func scan(_ fields: Fields) -> (RequestDirectives, Conditions) {
        var directives = RequestDirectives()
        var conditions: Conditions = []
        var hasPragma = false
        fields.forEachField { name, value in
            switch name.count {
            case 5: if name.equals("range") { conditions.insert(.range) }
            case 6: hasPragma = hasPragma || name.equals("pragma") && isNoCache(value)
            case 8:
                if name.equals("if-match") { conditions.insert(.originOnly) }
                if name.equals("if-range") { conditions.insert(.ifRange) }
            case 13:
                if name.equals("cache-control") { directives.read(value) }
                if name.equals("if-none-match") { conditions.insert(.ifNoneMatch) }
                if name.equals("authorization") { conditions.insert(.authorization) }
            case 17: if name.equals("if-modified-since") { conditions.insert(.ifModifiedSince) }
            case 19: if name.equals("if-unmodified-since") { conditions.insert(.originOnly) }
            default: break
            }
        }
        // RFC 9111 §5.4: Pragma counts only without Cache-Control.
        if hasPragma && !directives.isPresent { directives.noCache = true }
        return (directives, conditions)
    }

    private static func isNoCache(_ value: UnsafeRawBufferPointer) -> Bool {
        var found = false
        Directive.forEach(in: value) { if $0.name.equals("no-cache") { found = true } }
        return found
    }
}

/// The directives of a request's `Cache-Control` and `Pragma` (RFC 9111 §5.2.1, §5.4, RFC 5861 §4).
///
/// If a directive is repeated, the first counts. An argument that is not a number has the stricter meaning: `max-age`
/// counts as 0, and permissions as absent.
struct RequestDirectives: Sendable, Equatable {
    var noCache = false
    var noStore = false
    var onlyIfCached = false
    var maxAge: Duration?
    var minFresh: Duration?
    /// The longest possible duration without an argument, because any staleness is accepted then.
    var maxStale: Duration?
    var staleIfError: Duration?
    /// Whether the request has a `Cache-Control` field.
    var isPresent = false

    mutating func read(_ value: UnsafeRawBufferPointer) {
        isPresent = true
        Directive.forEach(in: value) { directive in
            switch directive.name.count {
            case 7:
                if directive.name.equals("max-age") { maxAge = maxAge ?? directive.seconds ?? .zero }
            case 8:
                if directive.name.equals("no-cache") { noCache = true }
                if directive.name.equals("no-store") { noStore = true }
            case 9:
                if directive.name.equals("min-fresh") { minFresh = minFresh ?? directive.seconds }
                if directive.name.equals("max-stale") {
                    maxStale =
                        maxStale ?? (directive.argument == nil ? .seconds(deltaSecondsLimit) : directive.seconds)
                }
            case 14:
                if directive.name.equals("only-if-cached") { onlyIfCached = true }
                if directive.name.equals("stale-if-error") { staleIfError = staleIfError ?? directive.seconds }
            default: break
            }
        }
    }
}
