import CacheOptions
import PlugboardKit

/// Whether a stored answer may be used for a request as it stands (RFC 9111 §4).
enum Standing: Sendable, Equatable {
    case fresh
    /// Stale, and may be used all the same. `revalidates`: while the server is asked in the background (RFC 5861 §3).
    case stale(revalidates: Bool)
    /// Only with the server's word. The reason is the server's (`stale`) or the caller's (`request`).
    case needsValidation(CacheStatus.ForwardReason)
}

extension CachePolicy {
    func standing(
        _ entry: CacheEntry, _ facts: ResponseFacts, _ freshness: Freshness, for request: RequestFacts
    ) -> Standing {
        if entry.answer.isInvalidated { return .needsValidation(.stale) }
        switch request.mode {
        case .forceCache, .onlyIfCached: return freshness.isFresh ? .fresh : .stale(revalidates: false)
        // RFC 8246 §2: what is immutable is not asked about while it is fresh, also where the caller reloads.
        case .noCache: return isImmutable(facts, freshness) ? .fresh : .needsValidation(.request)
        case .default, .noStore, .reload: break
        }
        if request.directives.noCache { return .needsValidation(.request) }
        if facts.directives.words.contains(.noCache), !freshness.isOwn { return .needsValidation(.stale) }
        guard satisfies(request.directives, facts, freshness) else { return .needsValidation(.request) }
        if freshness.isFresh { return .fresh }
        guard mayBeStale(facts) else { return .needsValidation(.stale) }
        if let limit = request.directives.maxStale, freshness.staleness <= limit { return .stale(revalidates: false) }
        // A part is asked about by those who want it: in the background, it would be for the whole.
        let isWhole = entry.answer.range == nil
        if isWhole, let limit = facts.directives.staleWhileRevalidate, freshness.staleness < limit {
            return .stale(revalidates: true)
        }
        return .needsValidation(.stale)
    }

    /// Whether the caller takes an answer of this age (RFC 9111 §5.2.1.1, §5.2.1.3). What is immutable is as good at any age (RFC 8246 §2).
    private func satisfies(_ wishes: RequestDirectives, _ facts: ResponseFacts, _ freshness: Freshness) -> Bool {
        if let maxAge = wishes.maxAge, !isImmutable(facts, freshness) {
            // 0 asks for the server's word; no answer is so quick that it has no age.
            guard maxAge > .zero, freshness.age <= maxAge else { return false }
        }
        guard let minFresh = wishes.minFresh else { return true }
        return freshness.remaining >= minFresh
    }

    private func isImmutable(_ facts: ResponseFacts, _ freshness: Freshness) -> Bool {
        freshness.isFresh && facts.directives.words.contains(.immutable) && !facts.directives.words.contains(.noCache)
    }

    /// Whether the server leaves it to the cache to serve stale answers (RFC 9111 §4.2.4).
    func mayBeStale(_ facts: ResponseFacts) -> Bool {
        let words = facts.directives.words
        if words.contains(.mustRevalidate) || words.contains(.noCache) { return false }
        return !isShared || (!words.contains(.proxyRevalidate) && facts.directives.sharedMaxAge == nil)
    }

    /// Whether a stale answer may be served because the server has failed (RFC 9111 §4.2.4, RFC 5861 §4).
    ///
    /// - Parameter isUnreachable: Whether there is no answer at all; an answer with an error needs `stale-if-error`.
    func maySubstitute(
        _ facts: ResponseFacts, _ freshness: Freshness, for request: RequestFacts, isUnreachable: Bool
    ) -> Bool {
        guard mayBeStale(facts) else { return false }
        var limits = [facts.directives.staleIfError, request.directives.staleIfError, request.directives.maxStale]
        if isUnreachable, !demandsServer(request) { limits.append(staleWhileUnreachable) }
        return limits.contains { $0.map { freshness.staleness <= $0 } ?? false }
    }

    /// Whether the caller has said that what is stored does not do.
    func demandsServer(_ request: RequestFacts) -> Bool {
        request.mode == .noCache || request.mode == .reload || request.directives.noCache
            || request.directives.maxAge != nil
            || request.directives.minFresh != nil
    }
}
