/// How the cache took part, as the field `Cache-Status` says it (RFC 9211).
struct CacheStatus: Sendable, Equatable, CustomStringConvertible {
    /// Why a request went on (RFC 9211 §2.2).
    enum ForwardReason: String, Sendable {
        case bypass, method, miss, request, stale, partial
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
    }

    /// Whether the answer came from the store without the network.
    var isHit = false
    var forwarded: ForwardReason?
    /// The server's status where the caller gets another.
    var forwardStatus: Int?
    /// Whether the answer is being stored.
    var isStored = false
    /// Whether the request waited for an identical one.
    var isCollapsed = false
    /// Seconds of freshness that are left; below 0: so long stale.
    var timeToLive: Int64?
    /// A token of the cache's own.
    var detail: String?

    /// A value of the field: `plugboard; hit; ttl=30`.
    var description: String {
        var text = "plugboard"
        if isHit { text += "; hit" }
        if let forwarded { text += "; fwd=\(forwarded.rawValue)" }
        if let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
        if isStored { text += "; stored" }
        if isCollapsed { text += "; collapsed" }
        if let timeToLive { text += "; ttl=\(timeToLive)" }
        if let detail { text += "; detail=\(detail)" }
        return text
    }
}
