import PlugboardKit

/// What is known of one secret that can be fetched anew, and what is to be done when somebody needs it; a pure value.
///
/// Secrets stand here as the `Authorization` that they make. Times are the host's monotonic clock.
struct SecretLife: Sendable {
    /// What a fetch brought.
    struct Fetched: Equatable, Sendable {
        var authorization: String
        /// How long it is good; nil until a server rejects it.
        var lifetime: Duration?
        /// After how long it is fetched anew while it is still used; nil: not before its end.
        var renewal: Duration?
        /// How long a rejection of it is not believed, if it was fetched because of one.
        var pause = Duration.zero
    }

    enum Decision: Equatable {
        /// Send this one; `fetches` says to fetch another meanwhile.
        case use(String, fetches: Bool)
        /// Fetch, and wait for it.
        case fetch
        /// Wait for the fetch that is under way.
        case join
        case fail(PlugboardError)
        /// Nothing better can be had: the answer is the program's to look at.
        case pass
    }

    private struct Kept {
        var authorization: String
        var expiry: Duration?
        var renewal: Duration?
        /// Until then a rejection changes nothing.
        var trustedUntil: Duration
    }

    private struct Failed {
        var error: PlugboardError
        var until: Duration
    }

    /// Shortest time between two fetches after a failed one; it doubles with each failure.
    private let pause: Duration
    private var kept: Kept?
    private var isRejected = false
    private var isFetching = false
    private var failed: Failed?
    private var failures = 0

    private static let longestPause = Duration.seconds(60)

    init(pause: Duration) { self.pause = pause }

    /// A request needs the secret.
    mutating func demand(at now: Duration) -> Decision {
        if let kept, !isRejected, kept.expiry.map({ now < $0 }) ?? true {
            let isDue = kept.renewal.map { now >= $0 } ?? false
            let fetches = isDue && !isFetching && !isPausing(at: now)
            if fetches { isFetching = true }
            return .use(kept.authorization, fetches: fetches)
        }
        return fetchOrJoin(at: now)
    }

    /// A server answered 401 to a request that had sent `authorization`.
    mutating func reject(_ authorization: String, at now: Duration) -> Decision {
        if let kept {
            if kept.authorization != authorization, !isRejected { return .use(kept.authorization, fetches: false) }
            if kept.authorization == authorization {
                if now < kept.trustedUntil { return .pass }
                isRejected = true
            }
        }
        return fetchOrJoin(at: now)
    }

    /// Somebody wants a new one, whatever the old one is worth.
    mutating func renew() -> Decision {
        if isFetching { return .join }
        isFetching = true
        return .fetch
    }

    /// A fetch is over. One that fails leaves what there is.
    mutating func finish(_ result: Result<Fetched, PlugboardError>, at now: Duration) {
        isFetching = false
        switch result {
        case .success(let fetched):
            let trust = isRejected ? fetched.pause : .zero
            kept = Kept(
                authorization: fetched.authorization, expiry: fetched.lifetime.map { now + $0 },
                renewal: fetched.renewal.map { now + $0 }, trustedUntil: now + trust)
            isRejected = false
            failed = nil
            failures = 0
        case .failure(let error):
            let doublings = min(failures, 10)
            failures = min(failures + 1, 1000)
            failed = Failed(error: error, until: now + min(pause * (1 << doublings), Self.longestPause))
        }
    }

    private mutating func fetchOrJoin(at now: Duration) -> Decision {
        if isFetching { return .join }
        if let failed, now < failed.until { return .fail(failed.error) }
        isFetching = true
        return .fetch
    }

    private func isPausing(at now: Duration) -> Bool { failed.map { now < $0.until } ?? false }

    // MARK: For those who look

    enum Condition: String, Sendable { case none, good, over, rejected, failed }

    func condition(at now: Duration) -> Condition {
        if let kept, !isRejected { return kept.expiry.map { now < $0 } ?? true ? .good : .over }
        if failed != nil { return .failed }
        return isRejected ? .rejected : .none
    }

    /// How long the secret is still good; nil where that is not known.
    func rest(at now: Duration) -> Duration? { kept?.expiry.map { max($0 - now, .zero) } }
}
