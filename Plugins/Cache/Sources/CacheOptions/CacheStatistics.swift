import JSON

/// What the plugin `cache` holds, and what became of requests since it was started.
public struct CacheStatistics: Sendable, Equatable {
    /// Answers in memory, and the bytes they take there.
    public var memoryEntries = 0
    public var memoryBytes = 0
    /// Answers in all, and their bytes.
    public var entries = 0
    public var bytes = 0
    /// Answers that went to make room for others.
    public var evicted = 0
    /// Requests that were answered from the store: fresh; stale; and after the server had said that the answer still holds.
    public var hits = 0
    public var stale = 0
    public var revalidated = 0
    /// Requests that went on to the server: nothing fitting was stored; and because the cache had no part in them.
    public var misses = 0
    public var bypassed = 0
    /// Answers that were stored.
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

/// A stored answer, as the commands `list` and `show` tell of it.
public struct CachedResponse: Sendable, Equatable {
    public var url: String
    public var status: Int
    /// Bytes of its body.
    public var bytes: Int
    /// Whole seconds since the origin made it (RFC 9111 §4.2.3), and how long it is fresh yet; below 0: so long stale.
    public var age: Int
    public var timeToLive: Int
    /// The fields of requests that it varies by.
    public var vary: [String]
    public var version: String
    /// Whether it must be validated before it is used (RFC 9111 §4.4).
    public var isInvalidated: Bool
    /// Whether its body is a part only (RFC 9111 §3.3).
    public var isPartial: Bool
    /// Names and values in order, of `show` only.
    public var fields: [Field]

    public struct Field: Sendable, Equatable {
        public var name: String
        public var value: String
    }

    init(_ json: JSONValue) {
        url = json["url"]?.stringValue ?? ""
        status = Int(clamping: json["status"]?.intValue ?? 0)
        bytes = Int(clamping: json["bytes"]?.intValue ?? 0)
        age = Int(clamping: json["age"]?.intValue ?? 0)
        timeToLive = Int(clamping: json["ttl"]?.intValue ?? 0)
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
