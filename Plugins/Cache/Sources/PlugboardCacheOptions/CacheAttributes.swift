import PlugboardKit

/// The attributes of the plugin `cache`.
public struct CacheAttributes: AttributeTable {
    /// All keys.
    public static let keys = CacheAttributes()

    /// How the request uses stored responses, as in Fetch.
    public let mode = AttributeKey<CacheMode>("cache", "mode", "How the request uses stored responses, as in Fetch.")
    /// How long the response is fresh if the server does not specify it.
    ///
    /// With `overrides`, it counts whatever the server specifies. In whole milliseconds.
    public let timeToLive = AttributeKey<Duration>(
        "cache", "timeToLive", "How long the response is fresh if the server does not specify it.",
        in: .zero ... .seconds(315_360_000))
    /// True gives the time to live precedence over that of the server.
    public let overrides = AttributeKey<Bool>(
        "cache", "overrides", "True gives the time to live precedence over that of the server.")
    /// Responses stored under another version are not used.
    public let version = AttributeKey<String>(
        "cache", "version", "Responses stored under another version are not used.")
    /// Parts of the request that the key contains in addition to the URL: query:NAME, field:NAME, body.
    public let key = AttributeKey<[String]>(
        "cache", "key",
        "Parts of the request that the key contains in addition to the URL: query:NAME, field:NAME, body.")
    /// Query parameters that the key does not contain; * is any text.
    ///
    /// For example `["utm_*"]`.
    public let ignore = AttributeKey<[String]>(
        "cache", "ignore", "Query parameters that the key does not contain; * is any text.")
    /// True waits for an identical request under way.
    public let singleFlight = AttributeKey<Bool>(
        "cache", "singleFlight", "True waits for an identical request under way.")
}

extension Request {
    /// The attributes for the plugin `cache`; nil leaves a value to the plugin's settings.
    public var cache: RequestAttributes<CacheAttributes> {
        get { RequestAttributes<CacheAttributes>(self) }
        set { self = newValue.request }
    }
}

extension RequestAttributes<CacheAttributes> {
    /// Parts of the request that the key contains in addition to the URL.
    public var key: [CacheKeyPart]? {
        get { request[CacheAttributes.keys.key]?.compactMap { CacheKeyPart($0) } }
        set { request[CacheAttributes.keys.key] = newValue?.map(\.text) }
    }
}

/// How a request uses stored responses: the cache modes of Fetch
/// (https://fetch.spec.whatwg.org/#concept-request-cache-mode).
public enum CacheMode: String, WordOption {
    /// Does what the standard specifies (RFC 9111).
    case `default`
    /// Uses no stored response, and stores none.
    case noStore = "no-store"
    /// Uses a stored response only after the server has confirmed it; a fresh and immutable one at once (RFC 8246 §2).
    case noCache = "no-cache"
    /// Uses no stored response, but stores the new one.
    case reload
    /// Uses a stored response however old it is.
    case forceCache = "force-cache"
    /// Does what `forceCache` does, and responds with 504 if no response is stored.
    case onlyIfCached = "only-if-cached"
}

/// A part of a request that its key contains.
public enum CacheKeyPart: Sendable, Hashable {
    /// The query's parameters of this name. The key then contains only the named parameters.
    case query(String)
    /// The header field of this name; without it, only `Vary` distinguishes responses by fields.
    case field(String)
    /// The whole body. Then responses to POST are stored too, for searches that are sent by POST.
    case body

    /// Parses the form of attributes and settings: `query:NAME`, `field:NAME`, `body`.
    public init?(_ text: some StringProtocol) {
        if text == "body" {
            self = .body
        } else if text.hasPrefix("query:"), text.utf8.count > 6 {
            self = .query(String(text.dropFirst(6)))
        } else if text.hasPrefix("field:"), text.utf8.count > 6 {
            self = .field(String(text.dropFirst(6)))
        } else {
            return nil
        }
    }

    /// The form of attributes and settings.
    public var text: String {
        switch self {
        case .query(let name): "query:\(name)"
        case .field(let name): "field:\(name)"
        case .body: "body"
        }
    }
}
