import CacheOptions
import PlugboardKit

extension CachePolicy {
    /// What becomes of a request, given all entries under its key.
    func decision(for request: RequestFacts, entries: [CacheEntry], now: Duration) -> RequestDecision {
        if let reason = reasonToPass(request) { return forwardOrTimeout(Forward(request, reason, entries)) }
        let selection = Selection(request, entries)
        guard let entry = selection.matching.first else {
            let reason: CacheStatus.ForwardReason = selection.usable.isEmpty ? .uriMiss : .varyMiss
            return forwardOrTimeout(Forward(request, reason, entries).validating(selection))
        }
        let facts = facts(of: entry.answer)
        let freshness = freshness(of: entry.answer, facts, own: request.own, now: now)
        let standing = standing(entry, facts, freshness, for: request)
        if case .needsValidation(let reason) = standing {
            return forwardOrTimeout(Forward(request, reason, entries, selected: entry).validating(selection))
        }
        let kind: Reuse.Freshness = standing == .fresh ? .fresh : .stale
        guard var reuse = reuse(entry, for: request, facts, freshness, as: kind, CacheStatus(isHit: true)) else {
            return forwardOrTimeout(Forward(request, .partial, entries, selected: entry).validating(selection))
        }
        if standing == .stale(revalidates: true), !isOnlyIfCached(request) {
            let alone = request.withoutConditions
            reuse.revalidation = Forward(alone, .stale, entries, selected: entry).validating(Selection(alone, entries))
        }
        return .reuse(reuse)
    }

    /// Why the store is not asked; nil if it is.
    private func reasonToPass(_ request: RequestFacts) -> CacheStatus.ForwardReason? {
        switch request.kind {
        case .safe, .unsafe: return .method
        case .get, .head, .search: break
        }
        if request.mode == .noStore || request.directives.noStore { return .bypass }
        if request.mode == .reload { return .request }
        // RFC 9111 §4.3.2: such conditions are for the origin; ranges that are not understood are too.
        if request.conditions.contains(.originOnly) { return .bypass }
        if request.kind != .head, request.conditions.contains(.range), request.range == nil { return .bypass }
        return nil
    }

    /// RFC 9111 §5.2.1.7.
    private func forwardOrTimeout(_ forward: Forward) -> RequestDecision {
        guard isOnlyIfCached(forward.request) else { return .forward(forward) }
        return .gatewayTimeout(.gatewayTimeout, CacheStatus(detail: "only-if-cached"))
    }

    private func isOnlyIfCached(_ request: RequestFacts) -> Bool {
        request.mode == .onlyIfCached || request.directives.onlyIfCached
    }
}

extension ResponseHead {
    /// What a cache answers that may not answer otherwise (RFC 9110 §15.6.5).
    static var gatewayTimeout: ResponseHead {
        ResponseHead(status: 504, reason: "Gateway Timeout", fields: Fields(["Content-Length": "0"]))
    }
}
