import PlugboardKit

/// The age of a response, and its remaining freshness.
struct Freshness: Sendable, Equatable {
    /// The time since the origin generated or last confirmed the response (RFC 9111 §4.2.3); never negative.
    var age: Duration
    /// The time until the response is stale; negative for a stale response.
    var remaining: Duration
    /// Whether the program set the freshness, and not the server.
    var isOwn = false

    var isFresh: Bool { remaining > .zero }
    /// How long the response has been stale; zero while it is fresh.
    var staleness: Duration { max(.zero - remaining, .zero) }
    /// The value of the field `Age` (RFC 9111 §5.1).
    var ageInSeconds: Int64 { age.components.seconds }
    /// The value of `ttl` in `Cache-Status`.
    var remainingSeconds: Int64 { remaining.components.seconds }
}

extension CachePolicy {
    /// The age and freshness of a stored response.
    ///
    /// The age is never negative, even if the clock was set back or the file is damaged: a response from the future is
    /// stale.
    func freshness(of response: StoredResponse, own: RequestFacts.Own = .init(), now: Duration) -> Freshness {
        freshness(of: response, facts(of: response), own: own, now: now)
    }

    func facts(of entry: CacheEntry) -> ResponseFacts {
        if let known = entry.facts, known.isShared == isShared { return known }
        let facts = facts(of: entry.response)
        entry.keep(facts)
        return facts
    }

    func facts(of response: StoredResponse) -> ResponseFacts {
        ResponseFacts(
            status: response.status, fields: response.fields, isShared: isShared,
            now: HTTPDate(response.received.bounded))
    }

    func freshness(
        of response: borrowing StoredResponse, _ facts: ResponseFacts, own: RequestFacts.Own, now: Duration
    ) -> Freshness {
        freshness(response.requested, response.received, response.timeToLive, facts, own: own, now: now)
    }

    /// How long a stored response can be of use: while it is fresh, while it may be served stale, and a margin in which
    /// the server may still confirm it.
    func lifetime(of response: StoredResponse, now: Duration) -> Duration {
        let facts = facts(of: response)
        let fresh = max(freshness(of: response, facts, own: .init(), now: now).remaining, .zero)
        let windows = [facts.directives.staleWhileRevalidate, facts.directives.staleIfError, staleWhileUnreachable]
        let stale = mayBeStale(facts) ? windows.compactMap(\.self).max() ?? .zero : .zero
        return fresh + stale.bounded + CachePolicy.confirmationMargin
    }

    private static let confirmationMargin = Duration.seconds(3600)

    /// Avoids a copy of the response, which would count a dozen references.
    func freshness(
        of entry: CacheEntry, _ facts: ResponseFacts, own: RequestFacts.Own, now: Duration
    ) -> Freshness {
        freshness(
            entry.response.requested, entry.response.received, entry.response.timeToLive, facts, own: own, now: now)
    }

    private func freshness(
        _ requested: Duration, _ received: Duration, _ stored: Duration?, _ facts: ResponseFacts,
        own: RequestFacts.Own, now: Duration
    ) -> Freshness {
        let now = now.bounded
        let received = received.bounded
        let resident = max(now - received, .zero)
        let age = ageOnArrival(facts, requested: requested.bounded, received: received) + resident
        // The program's time to live counts from the arrival, the server's from the generation.
        let own = timeToLive(stored, facts, own)
        let remaining = own.map { $0 - resident } ?? lifetime(facts, received: received) - age
        let isFromTheFuture = received - now > CachePolicy.clockTolerance
        return Freshness(
            age: age, remaining: isFromTheFuture ? min(remaining, .zero) : remaining, isOwn: own != nil)
    }

    /// The largest correction of a clock; a response further in the future counts as stale.
    private static let clockTolerance = Duration.seconds(60)

    /// `corrected_initial_age` (RFC 9111 §4.2.3).
    func ageOnArrival(_ facts: ResponseFacts, requested: Duration, received: Duration) -> Duration {
        let delay = max(received - requested, .zero)
        // Date has whole seconds, so the fraction of the second of the arrival is not an age.
        let apparent = facts.date.map { HTTPDate(received).seconds.subtractingClamped($0.seconds) } ?? 0
        return max(.seconds(max(apparent, 0)), .seconds(facts.age ?? 0) + delay)
    }

    /// How long a response is fresh after its generation (RFC 9111 §4.2.1).
    func lifetime(_ facts: ResponseFacts, received: Duration) -> Duration {
        explicitLifetime(facts, received: received) ?? heuristicLifetime(facts, received: received)
    }

    /// Nil if the server does not specify it.
    func explicitLifetime(_ facts: ResponseFacts, received: Duration) -> Duration? {
        if isShared, let shared = facts.directives.sharedMaxAge { return shared }
        if let maxAge = facts.directives.maxAge { return maxAge }
        switch facts.expires {
        case nil: return nil
        case .past: return .zero
        case .at(let expires):
            let date = facts.date ?? HTTPDate(received)
            return .seconds(min(max(expires.seconds.subtractingClamped(date.seconds), 0), deltaSecondsLimit))
        }
    }

    /// RFC 9111 §4.2.2: a share of the time since the last modification, if the status or `public` allows it.
    private func heuristicLifetime(_ facts: ResponseFacts, received: Duration) -> Duration {
        guard facts.isHeuristicallyCacheable || facts.directives.words.contains(.isPublic),
            let modified = facts.lastModified
        else { return .zero }
        let date = facts.date ?? HTTPDate(received)
        let unchanged = min(max(date.seconds.subtractingClamped(modified.seconds), 0), deltaSecondsLimit)
        return min(.milliseconds(unchanged * 10 * Int64(min(max(heuristicPercent, 0), 100))), heuristicLimit)
    }

    /// The program's time to live: that of this request, otherwise that of the request that stored the response.
    private func timeToLive(_ stored: Duration?, _ facts: ResponseFacts, _ own: RequestFacts.Own) -> Duration? {
        guard let timeToLive = own.timeToLive, appliesToStatus(facts.status) else { return stored?.bounded }
        return own.overrides || isSilent(facts) ? timeToLive.bounded : stored?.bounded
    }

    /// Whether the server does not specify how long the response may be used.
    func isSilent(_ facts: ResponseFacts) -> Bool {
        explicitLifetime(facts, received: .zero) == nil
            && facts.directives.words.isDisjoint(with: [.noCache, .noStore])
    }

    /// Whether the program's time to live applies to the status; it does not apply to errors.
    func appliesToStatus(_ status: Int) -> Bool { [200, 203, 204, 206, 300, 301, 308].contains(status) }
}

extension Duration {
    /// Clamped to 30,000 years around zero, so that sums cannot overflow.
    var bounded: Duration { min(max(self, .seconds(-1 << 40)), .seconds(1 << 40)) }
}

extension Int64 {
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (self < other ? .min : .max) : difference
    }
}
