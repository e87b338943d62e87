import PlugboardKit

/// The state of one secret that can be fetched again, and the decision when a request needs it; a pure value.
///
/// Secrets are kept as the `Authorization` value made from them. Times are those of the host's monotonic clock.
struct SecretLife: Sendable {
    /// The result of a fetch.
    struct Fetched: Equatable, Sendable {
        var authorization: String
        /// How long the secret is valid; nil if it is valid until a server rejects it.
        var lifetime: Duration?
        /// The time after which the secret is fetched again while it is still used; nil: not before its end.
        var renewal: Duration?
        /// How long rejections are ignored, if a rejection caused the fetch.
        var pause = Duration.zero
    }

    enum Decision: Equatable {
        /// Send this secret; `fetches` starts a fetch in parallel.
        case use(String, fetches: Bool)
        /// Fetch, and wait for it.
        case fetch
        /// Wait for the fetch under way.
        case join
        case fail(PlugboardError)
        /// No better secret is available: the response passes to the program.
        case pass
    }

    private struct Kept {
        var authorization: String
        var expiry: Duration?
        var renewal: Duration?
        /// Rejections before this time have no effect.
        var trustedUntil: Duration
    }

    private struct Failed {
        var error: PlugboardError
        var until: Duration
    }

    /// The shortest time between two fetches after a failed one; it doubles with each failure.
    private let pause: Duration
    private var kept: Kept?
    private var isRejected = false
    /// The secret that the next fetch is to replace, because it was rejected or a command asked for another one.
    private(set) var unwanted: String?
    private var isFetching = false
    private var failed: Failed?
    private var failures = 0

    private static let longestPause = Duration.seconds(60)

    init(pause: Duration) { self.pause = pause }

    /// Decides for a request that needs the secret.
    mutating func demand(at now: Duration) -> Decision {
        if let kept, !isRejected, kept.expiry.map({ now < $0 }) ?? true {
            let isDue = kept.renewal.map { now >= $0 } ?? false
            let fetches = isDue && !isFetching && !isPausing(at: now)
            if fetches { isFetching = true }
            return .use(kept.authorization, fetches: fetches)
        }
        return fetchOrJoin(at: now)
    }

    /// Decides after a 401 to a request that was sent with `authorization`.
    mutating func reject(_ authorization: String, at now: Duration) -> Decision {
        if let kept {
            if kept.authorization != authorization, !isRejected { return .use(kept.authorization, fetches: false) }
            if kept.authorization == authorization {
                if now < kept.trustedUntil { return .pass }
                isRejected = true
                unwanted = authorization
            }
        }
        return fetchOrJoin(at: now)
    }

    /// Decides for a command that asks for a new secret, even if the present one is valid.
    mutating func renew() -> Decision {
        if isFetching { return .join }
        isFetching = true
        unwanted = kept?.authorization
        return .fetch
    }

    /// Ends a fetch. A failed fetch does not change the secret.
    mutating func finish(_ result: Result<Fetched, PlugboardError>, at now: Duration) {
        isFetching = false
        switch result {
        case .success(let fetched):
            let trust = isRejected ? fetched.pause : .zero
            kept = Kept(
                authorization: fetched.authorization, expiry: fetched.lifetime.map { now + $0 },
                renewal: fetched.renewal.map { now + $0 }, trustedUntil: now + trust)
            isRejected = false
            unwanted = nil
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

    // MARK: Status

    enum Condition: String, Sendable { case none, good, over, rejected, failed }

    func condition(at now: Duration) -> Condition {
        if let kept, !isRejected { return kept.expiry.map { now < $0 } ?? true ? .good : .over }
        if failed != nil { return .failed }
        return isRejected ? .rejected : .none
    }

    /// How long the secret is still valid; nil if that is unknown.
    func rest(at now: Duration) -> Duration? { kept?.expiry.map { max($0 - now, .zero) } }
}
