import PlugboardKit

/// How old an answer is, and for how long it is fresh yet.
struct Freshness: Sendable, Equatable {
    /// Since the origin made or last confirmed it (RFC 9111 §4.2.3). Never below zero.
    var age: Duration
    /// Until it is stale; below zero: so long stale.
    var remaining: Duration
    /// Whether the program said so, and not the server.
    var isOwn = false

    var isFresh: Bool { remaining > .zero }
    /// How long it has been stale; zero while it is fresh.
    var staleness: Duration { max(.zero - remaining, .zero) }
    /// What the field `Age` says (RFC 9111 §5.1).
    var ageInSeconds: Int64 { age.components.seconds }
    /// What `ttl` of `Cache-Status` says.
    var remainingSeconds: Int64 { remaining.components.seconds }
}

extension CachePolicy {
    /// Age and freshness of a stored answer.
    ///
    /// What a clock that was set back, or a damaged file, says of times never makes an age below zero: an answer that seems to come from the
    /// future is stale.
    func freshness(of answer: StoredResponse, own: RequestFacts.Own = .init(), now: Duration) -> Freshness {
        freshness(of: answer, facts(of: answer), own: own, now: now)
    }

    func facts(of answer: StoredResponse) -> ResponseFacts {
        ResponseFacts(
            status: answer.status, fields: answer.fields, isShared: isShared, now: HTTPDate(answer.received.bounded))
    }

    func freshness(
        of answer: StoredResponse, _ facts: ResponseFacts, own: RequestFacts.Own, now: Duration
    ) -> Freshness {
        let now = now.bounded
        let received = answer.received.bounded
        let resident = max(now - received, .zero)
        let age = ageOnArrival(facts, requested: answer.requested.bounded, received: received) + resident
        // The program counts from the arrival on, the server from its own making.
        let own = timeToLive(of: answer, facts, own)
        let remaining = own.map { $0 - resident } ?? lifetime(facts, received: received) - age
        let isFromTheFuture = received - now > CachePolicy.clockTolerance
        return Freshness(
            age: age, remaining: isFromTheFuture ? min(remaining, .zero) : remaining, isOwn: own != nil)
    }

    /// Clocks are set right now and then; more than this is no correction.
    private static let clockTolerance = Duration.seconds(60)

    /// `corrected_initial_age` (RFC 9111 §4.2.3).
    func ageOnArrival(_ facts: ResponseFacts, requested: Duration, received: Duration) -> Duration {
        let delay = max(received - requested, .zero)
        // Date has whole seconds, so what is left of the second of the arrival is not an age.
        let apparent = facts.date.map { HTTPDate(received).seconds.subtractingClamped($0.seconds) } ?? 0
        return max(.seconds(max(apparent, 0)), .seconds(facts.age ?? 0) + delay)
    }

    /// How long the answer is fresh after it was made (RFC 9111 §4.2.1).
    func lifetime(_ facts: ResponseFacts, received: Duration) -> Duration {
        explicitLifetime(facts, received: received) ?? heuristicLifetime(facts, received: received)
    }

    /// Nil if the server says nothing of it.
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

    /// RFC 9111 §4.2.2: a part of the time since the last modification, where the status allows it, or the server by `public`.
    private func heuristicLifetime(_ facts: ResponseFacts, received: Duration) -> Duration {
        guard facts.isHeuristicallyCacheable || facts.directives.words.contains(.isPublic),
            let modified = facts.lastModified
        else { return .zero }
        let date = facts.date ?? HTTPDate(received)
        let unchanged = min(max(date.seconds.subtractingClamped(modified.seconds), 0), deltaSecondsLimit)
        return min(.milliseconds(unchanged * 10 * Int64(min(max(heuristicPercent, 0), 100))), heuristicLimit)
    }

    /// The program's word: of this request, else of the one that stored the answer.
    private func timeToLive(
        of answer: StoredResponse, _ facts: ResponseFacts, _ own: RequestFacts.Own
    ) -> Duration? {
        guard let timeToLive = own.timeToLive, appliesToStatus(facts.status) else { return answer.timeToLive?.bounded }
        return own.overrides || isSilent(facts) ? timeToLive.bounded : answer.timeToLive?.bounded
    }

    /// Whether the server leaves it to others how long the answer may be used.
    func isSilent(_ facts: ResponseFacts) -> Bool {
        explicitLifetime(facts, received: .zero) == nil
            && facts.directives.words.isDisjoint(with: [.noCache, .noStore])
    }

    /// The program's word is for what it asked for, not for errors.
    func appliesToStatus(_ status: Int) -> Bool { [200, 203, 204, 206, 300, 301, 308].contains(status) }
}

extension Duration {
    /// Within 30,000 years of zero, so that no sum overflows.
    var bounded: Duration { min(max(self, .seconds(-1 << 40)), .seconds(1 << 40)) }
}

extension Int64 {
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (self < other ? .min : .max) : difference
    }
}
