import PlugboardCacheOptions
import PlugboardKit

extension CachePolicy {
    /// The decision for a request, given all entries with its key.
    func decision(for request: RequestFacts, entries: [CacheEntry], now: Duration) -> RequestDecision {
        if let reason = reasonToPass(request) { return forwardOrTimeout(Forward(request, reason, entries)) }
        if entries.isEmpty { return forwardOrTimeout(Forward(request, .uriMiss)) }
        let selection = Selection(request, entries)
        guard let entry = selection.matching.first else {
            let reason: CacheStatus.ForwardReason = selection.usable.isEmpty ? .uriMiss : .varyMiss
            return forwardOrTimeout(Forward(request, reason, entries).validating(selection))
        }
        let facts = facts(of: entry)
        let freshness = freshness(of: entry, facts, own: request.own, now: now)
        let standing = standing(entry, facts, freshness, for: request)
        if case .needsValidation(let reason) = standing {
            return forwardOrTimeout(Forward(request, reason, entries, selected: entry).validating(selection))
        }
        let kind: Reuse.Freshness = standing == .fresh ? .fresh : .stale
        guard let reuse = reuse(entry, for: request, facts, freshness, as: kind, CacheStatus(isHit: true)) else {
            return forwardOrTimeout(Forward(request, .partial, entries, selected: entry).validating(selection))
        }
        guard standing == .stale(revalidates: true), !isOnlyIfCached(request) else { return .reuse(reuse) }
        let alone = request.withoutConditions
        var revalidating = reuse
        revalidating.revalidation = Forward(alone, .stale, entries, selected: entry)
            .validating(Selection(alone, entries))
        return .reuse(revalidating)
    }

    /// Why the store is not used; nil if it is.
    private func reasonToPass(_ request: RequestFacts) -> CacheStatus.ForwardReason? {
        switch request.kind {
        case .safe, .unsafe: return .method
        case .get, .head, .search: break
        }
        if !request.isVerified || request.mode == .noStore || request.directives.noStore { return .bypass }
        if request.mode == .reload { return .request }
        // RFC 9111 §4.3.2: only the origin can evaluate these conditions; the same holds for unsupported ranges.
        if request.conditions.contains(.originOnly) { return .bypass }
        if request.kind != .head, request.conditions.contains(.range), request.range == nil { return .bypass }
        return nil
    }

    /// Responds with 504 instead of forwarding if the caller allows no network (RFC 9111 §5.2.1.7).
    private func forwardOrTimeout(_ forward: Forward) -> RequestDecision {
        guard isOnlyIfCached(forward.request) else { return .forward(forward) }
        return .gatewayTimeout(.gatewayTimeout, CacheStatus(detail: "only-if-cached"))
    }

    private func isOnlyIfCached(_ request: RequestFacts) -> Bool {
        request.mode == .onlyIfCached || request.directives.onlyIfCached
    }
}

extension ResponseHead {
    /// The response of a cache that is not allowed to forward (RFC 9110 §15.6.5).
    static var gatewayTimeout: ResponseHead {
        ResponseHead(status: 504, reason: "Gateway Timeout", fields: Fields(["Content-Length": "0"]))
    }
}

extension CachePolicy {
    /// The decision for a forwarded request that failed.
    ///
    /// - Parameter isUnreachable: Whether the network or the server failed. After other failures, such as a refusal by
    ///   TLS verification, the failure passes.
    func decision(afterFailureOf forward: Forward, isUnreachable: Bool, now: Duration) -> FailureDecision {
        guard isUnreachable, let entry = forward.selected else { return .pass }
        if let reuse = stale(entry, forward, isUnreachable: true, now: now) { return .reuse(reuse) }
        // RFC 9111 §5.2.2.2: must-revalidate requires a 504 instead of a stale response.
        return mayBeStale(facts(of: entry))
            ? .pass
            : .gatewayTimeout(.gatewayTimeout, CacheStatus(forwarded: forward.reason, detail: "must-revalidate"))
    }
}
