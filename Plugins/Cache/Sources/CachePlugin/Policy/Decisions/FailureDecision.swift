import PlugboardKit

/// What becomes of a request that got no answer.
enum FailureDecision: Sendable {
    /// Something stale may be served (RFC 9111 §4.2.4, RFC 5861 §4).
    case reuse(Reuse)
    /// Something is stored that must not be served without the server's word (RFC 9111 §5.2.2.2): a 504 of the cache's own, without a body.
    case gatewayTimeout(ResponseHead, CacheStatus)
    /// The failure is the caller's to see.
    case pass
}
