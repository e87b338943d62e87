import PlugboardKit

extension Request {
    /// What the request says to the plugin `cache`; nil leaves it to the plugin's settings.
    public var cache: CacheRequest {
        get { CacheRequest(request: self) }
        set { self = newValue.request }
    }
}

/// A request as the plugin `cache` sees it: `request.cache.timeToLive = .seconds(180)`.
public struct CacheRequest: Sendable {
    fileprivate var request: Request

    /// How the request uses what is stored.
    public var mode: CacheMode? {
        get { request[CacheAttributes.mode] }
        set { request[CacheAttributes.mode] = newValue }
    }

    /// How long the answer is fresh where the server says nothing; with `overrides`, whatever it says. In whole milliseconds.
    public var timeToLive: Duration? {
        get { request[CacheAttributes.timeToLive] }
        set { request[CacheAttributes.timeToLive] = newValue }
    }

    /// Whether `timeToLive` beats what the server says.
    public var overrides: Bool? {
        get { request[CacheAttributes.overrides] }
        set { request[CacheAttributes.overrides] = newValue }
    }

    /// Answers that were stored under another version are not used.
    public var version: String? {
        get { request[CacheAttributes.version] }
        set { request[CacheAttributes.version] = newValue }
    }

    /// What answers are found by beside the URL.
    public var key: [CacheKeyPart]? {
        get { request[CacheAttributes.key]?.compactMap { CacheKeyPart($0) } }
        set { request[CacheAttributes.key] = newValue?.map(\.text) }
    }

    /// Parameters of the query that answers do not depend on; `*` stands for any text: `["utm_*"]`.
    public var ignore: [String]? {
        get { request[CacheAttributes.ignore] }
        set { request[CacheAttributes.ignore] = newValue }
    }

    /// Whether the request waits for an identical one that is under way.
    public var singleFlight: Bool? {
        get { request[CacheAttributes.singleFlight] }
        set { request[CacheAttributes.singleFlight] = newValue }
    }
}
