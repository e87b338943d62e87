import CacheOptions
import PlugboardKit

/// What a request says of caching, read once, and shared by all who decide about it.
final class RequestFacts: Sendable {
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
    /// Whether the method is POST, whose answer may give the state of its URL (RFC 9110 §9.3.3).
    let isPost: Bool
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
        method: PlugboardKit.Method, key: CacheKey, url: String, fields: Fields, mode: CacheMode = .default,
        own: Own = Own(),
        body: RequestBody = .none
    ) {
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

    /// Another request that differs in these.
    private init(_ other: RequestFacts, kind: Kind, fields: Fields, conditions: Conditions) {
        (self.kind, self.fields, self.conditions) = (kind, fields, conditions)
        (isPost, key, url, mode, own) = (other.isPost, other.key, other.url, other.mode, other.own)
        directives = other.directives
    }

    /// Which conditions and partial wishes of the caller's own are there (RFC 9110 §13.1, §14.2).
    struct Conditions: OptionSet, Sendable {
        let rawValue: UInt8
        /// All that make the answer one for this caller.
        static let all: Conditions = [.ifNoneMatch, .ifModifiedSince, .range, .ifRange, .originOnly]
        static let ifNoneMatch = Conditions(rawValue: 1)
        static let ifModifiedSince = Conditions(rawValue: 2)
        static let range = Conditions(rawValue: 4)
        static let ifRange = Conditions(rawValue: 8)
        /// `If-Match` or `If-Unmodified-Since`, which only the origin can judge (RFC 9111 §4.3.2).
        static let originOnly = Conditions(rawValue: 16)
        static let authorization = Conditions(rawValue: 32)
    }

    /// Whether an entry was stored under the version that the program asks for.
    func isOfOwnVersion(_ entry: CacheEntry) -> Bool { entry.answer.version == own.version }

    /// The same request for the whole answer and for everybody: a GET without the caller's own conditions and range.
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
        for index in 0..<fields.count {
            fields.withField(index) { name, value in
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
        }
        // RFC 9111 §5.4: only where there is no Cache-Control.
        if hasPragma && !directives.isPresent { directives.noCache = true }
        return (directives, conditions)
    }

    private static func isNoCache(_ value: UnsafeRawBufferPointer) -> Bool {
        var found = false
        Directive.forEach(in: value) { if $0.name.equals("no-cache") { found = true } }
        return found
    }
}
