import PlugboardKit

/// What a request can say to the plugin `cache`.
public enum CacheAttributes {
    public static let mode = AttributeKey<CacheMode>(
        "cache", "mode", "How the request uses what is stored, as in Fetch.")
    public static let timeToLive = AttributeKey<Duration>(
        "cache", "ttl", "How long the answer is fresh where the server says nothing.",
        in: .zero ... .seconds(315_360_000))
    public static let overrides = AttributeKey<Bool>(
        "cache", "overrides", "True lets the ttl beat what the server says.")
    public static let version = AttributeKey<String>(
        "cache", "version", "Answers that were stored under another version are not used.")
    public static let key = AttributeKey<[String]>(
        "cache", "key", "What answers are found by beside the URL: query:NAME, field:NAME, body.")
    public static let ignore = AttributeKey<[String]>(
        "cache", "ignore", "Parameters of the query that answers do not depend on; * stands for any text.")
    public static let singleFlight = AttributeKey<Bool>(
        "cache", "singleFlight", "True waits for an identical request that is under way.")
}

/// How a request uses what is stored: the cache modes of Fetch (https://fetch.spec.whatwg.org/#concept-request-cache-mode).
public enum CacheMode: String, WordOption {
    /// As the standard says (RFC 9111).
    case `default`
    /// Nothing is looked up, and nothing stored.
    case noStore = "no-store"
    /// What is stored is used only after the server has said that it still holds; what is fresh and immutable, at once (RFC 8246 §2).
    case noCache = "no-cache"
    /// Nothing is looked up, but the answer is stored.
    case reload
    /// What is stored is used however old it is.
    case forceCache = "force-cache"
    /// The same, and where nothing is stored the answer is a 504.
    case onlyIfCached = "only-if-cached"
}

/// A part of a request that answers are found by.
public enum CacheKeyPart: Sendable, Hashable {
    /// The query's parameters of this name. Once one is named, all others do not count.
    case query(String)
    /// The header field of this name; without it, only `Vary` tells answers apart by fields.
    case field(String)
    /// The whole body. It also lets answers to POST be found again, for searches that are sent by POST.
    case body

    /// As attributes and settings write it: `query:NAME`, `field:NAME`, `body`.
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

    public var text: String {
        switch self {
        case .query(let name): "query:\(name)"
        case .field(let name): "field:\(name)"
        case .body: "body"
        }
    }
}
