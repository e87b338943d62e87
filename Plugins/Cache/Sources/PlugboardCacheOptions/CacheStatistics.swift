import PlugboardJSON

/// The contents of the plugin `cache`, and how it took part in requests since its start.
public struct CacheStatistics: Sendable, Equatable {
    /// The number of responses in memory.
    public var memoryEntries = 0
    /// The bytes that these responses take in memory.
    public var memoryBytes = 0
    /// The number of responses in memory and file together.
    public var entries = 0
    /// The bytes of their bodies.
    public var bytes = 0
    /// The number of responses removed to make room for others.
    public var evicted = 0
    /// The number of requests served from the store with a fresh response.
    public var hits = 0
    /// The number of requests served from the store with a stale response.
    public var stale = 0
    /// The number of requests served from the store after the server had confirmed the response.
    public var revalidated = 0
    /// The number of requests sent to the server because no stored response was usable.
    public var misses = 0
    /// The number of requests that the cache does not handle.
    public var bypassed = 0
    /// The number of responses stored.
    public var stored = 0

    init(_ json: JSONValue) {
        func number(_ name: String) -> Int { Int(clamping: json[name]?.intValue ?? 0) }
        memoryEntries = number("memoryEntries")
        memoryBytes = number("memoryBytes")
        entries = number("entries")
        bytes = number("bytes")
        evicted = number("evicted")
        hits = number("hits")
        stale = number("stale")
        revalidated = number("revalidated")
        misses = number("misses")
        bypassed = number("bypassed")
        stored = number("stored")
    }
}

/// A stored response, as the commands `list` and `show` describe it.
public struct CachedResponse: Sendable, Equatable {
    /// The URL in normal form.
    public var url: String
    /// The status.
    public var status: Int
    /// The number of bytes of its body.
    public var bytes: Int
    /// Whole seconds since the origin generated the response (RFC 9111 §4.2.3).
    public var age: Int
    /// Whole seconds for which the response stays fresh; negative for a stale response.
    public var timeToLive: Int
    /// The names of the request fields that select it.
    public var vary: [String]
    /// The version under which it was stored; empty without one.
    public var version: String
    /// Whether it must be validated before it is used (RFC 9111 §4.4).
    public var isInvalidated: Bool
    /// Whether its body is incomplete (RFC 9111 §3.3).
    public var isPartial: Bool
    /// Its fields in order; only in the result of `show`.
    public var fields: [Field]

    /// A field of a stored response.
    public struct Field: Sendable, Equatable {
        /// The name as received.
        public var name: String
        /// The value; `…` for a secret field.
        public var value: String
    }

    init(_ json: JSONValue) {
        url = json["url"]?.stringValue ?? ""
        status = Int(clamping: json["status"]?.intValue ?? 0)
        bytes = Int(clamping: json["bytes"]?.intValue ?? 0)
        age = Int(clamping: json["age"]?.intValue ?? 0)
        timeToLive = Int(clamping: json["timeToLive"]?.intValue ?? 0)
        vary = json["vary"]?.arrayValue?.compactMap(\.stringValue) ?? []
        version = json["version"]?.stringValue ?? ""
        isInvalidated = json["invalidated"]?.boolValue ?? false
        isPartial = json["partial"]?.boolValue ?? false
        fields =
            json["fields"]?.arrayValue?.map { field in
                Field(name: field[0]?.stringValue ?? "", value: field[1]?.stringValue ?? "")
            } ?? []
    }
}
