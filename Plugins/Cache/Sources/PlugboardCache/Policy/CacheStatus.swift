/// The value of the field `Cache-Status` (RFC 9211).
struct CacheStatus: Sendable, Equatable, CustomStringConvertible {
    /// Why a request was forwarded (RFC 9211 §2.2).
    enum ForwardReason: String, Sendable {
        case bypass, method, miss, request, stale, partial
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
    }

    /// Whether the response came from the store without the network.
    var isHit = false
    var forwarded: ForwardReason?
    /// The server's status, if the caller gets another.
    var forwardStatus: Int?
    /// Whether the response is stored.
    var isStored = false
    /// Whether the request waited for an identical one.
    var isCollapsed = false
    /// The remaining seconds of freshness; negative for a stale response.
    var timeToLive: Int64?
    /// An additional token of this cache.
    var detail: String?

    /// The field's value: `plugboard; hit; ttl=30`.
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
