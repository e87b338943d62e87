import PlugboardCacheOptions
import PlugboardKit

/// Whether a stored response may be used for a request without validation (RFC 9111 §4).
enum Standing: Sendable, Equatable {
    case fresh
    /// The response is stale but may be used. `revalidates`: it is also validated in the background (RFC 5861 §3).
    case stale(revalidates: Bool)
    /// The response must be validated, because of the server (`stale`) or of the caller (`request`).
    case needsValidation(CacheStatus.ForwardReason)
}

extension CachePolicy {
    func standing(
        _ entry: CacheEntry, _ facts: ResponseFacts, _ freshness: Freshness, for request: RequestFacts
    ) -> Standing {
        if entry.response.isInvalidated { return .needsValidation(.stale) }
        switch request.mode {
        case .forceCache, .onlyIfCached: return freshness.isFresh ? .fresh : .stale(revalidates: false)
        // RFC 8246 §2: an immutable response is not validated while it is fresh, even when the caller reloads.
        case .noCache: return isImmutable(facts, freshness) ? .fresh : .needsValidation(.request)
        case .default, .noStore, .reload: break
        }
        if request.directives.noCache { return .needsValidation(.request) }
        if facts.directives.words.contains(.noCache), !freshness.isOwn { return .needsValidation(.stale) }
        guard satisfies(request.directives, facts, freshness) else { return .needsValidation(.request) }
        if freshness.isFresh { return .fresh }
        guard mayBeStale(facts) else { return .needsValidation(.stale) }
        if let limit = request.directives.maxStale, freshness.staleness <= limit { return .stale(revalidates: false) }
        // Not used for a part, because a request in the background would ask for the whole.
        let isWhole = entry.response.range == nil
        if isWhole, let limit = facts.directives.staleWhileRevalidate, freshness.staleness < limit {
            return .stale(revalidates: true)
        }
        return .needsValidation(.stale)
    }

    /// Whether the caller accepts the age (RFC 9111 §5.2.1.1, §5.2.1.3). The age of an immutable response does not
    /// matter (RFC 8246 §2).
    private func satisfies(_ directives: RequestDirectives, _ facts: ResponseFacts, _ freshness: Freshness) -> Bool {
        if let maxAge = directives.maxAge, !isImmutable(facts, freshness) {
            // 0 requires validation, even if the age is zero too.
            guard maxAge > .zero, freshness.age <= maxAge else { return false }
        }
        guard let minFresh = directives.minFresh else { return true }
        return freshness.remaining >= minFresh
    }

    private func isImmutable(_ facts: ResponseFacts, _ freshness: Freshness) -> Bool {
        freshness.isFresh && facts.directives.words.contains(.immutable) && !facts.directives.words.contains(.noCache)
    }

    /// Whether the server allows stale responses (RFC 9111 §4.2.4).
    func mayBeStale(_ facts: ResponseFacts) -> Bool {
        let words = facts.directives.words
        if words.contains(.mustRevalidate) || words.contains(.noCache) { return false }
        return !isShared || (!words.contains(.proxyRevalidate) && facts.directives.sharedMaxAge == nil)
    }

    /// Whether a stale response may be served after the server has failed (RFC 9111 §4.2.4, RFC 5861 §4).
    ///
    /// - Parameter isUnreachable: Whether there is no response at all; an error response needs `stale-if-error`.
    func maySubstitute(
        _ facts: ResponseFacts, _ freshness: Freshness, for request: RequestFacts, isUnreachable: Bool
    ) -> Bool {
        guard mayBeStale(facts) else { return false }
        var limits = [facts.directives.staleIfError, request.directives.staleIfError, request.directives.maxStale]
        if isUnreachable, !demandsServer(request) { limits.append(staleWhileUnreachable) }
        return limits.contains { $0.map { freshness.staleness <= $0 } ?? false }
    }

    /// Whether the caller requires a response from the server.
    func demandsServer(_ request: RequestFacts) -> Bool {
        request.mode == .noCache || request.mode == .reload || request.directives.noCache
            || request.directives.maxAge != nil
            || request.directives.minFresh != nil
    }
}
