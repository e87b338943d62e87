import PlugboardKit

/// Refuses requests to an origin that fails repeatedly.
///
///             failures in a row             openTime has passed
///     closed ───────────────────▶ open ──────────────────────────▶ half-open
///        ▲                          ▲            a probe fails         │
///        │                          └──────────────────────────────────┤
///        └─────────────────────────────────────────────────────────────┘
///                                all probes succeeded
struct CircuitBreaker: Equatable, Sendable {
    struct Limits: Equatable, Sendable {
        /// The number of consecutive failures that opens the circuit.
        var failures = 5
        var openTime = Duration.seconds(30)
        /// Requests that must succeed before the circuit closes, and the most that run at once.
        var probes = 1
    }

    enum State: Equatable, Sendable {
        case closed(failures: Int)
        case open(until: Duration)
        /// Probes are sent; with the permits of those under way.
        case halfOpen(probing: Set<UInt64>, succeeded: Int)
    }

    /// What an outcome means for an origin.
    enum Health: Sendable {
        case healthy, failing
        /// Unknown, as after a TLS failure or a cancelled exchange.
        case unknown
    }

    enum Permission: Equatable {
        case free
        /// The exchange is a probe, with a permit that is given back to `record`.
        case probe(UInt64)
        /// The time until a probe is allowed; nil while probes are under way.
        case refused(for: Duration?)
    }

    enum Change: String { case opened, halfOpened, closed }

    private(set) var state = State.closed(failures: 0)

    /// Whether the circuit is closed without recent failures.
    var isFresh: Bool { state == .closed(failures: 0) }
    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Decides whether an exchange may begin. `permit` must be unique.
    mutating func admit(_ permit: UInt64, at now: Duration, _ limits: Limits) -> (Permission, Change?) {
        switch state {
        case .closed: return (.free, nil)
        case .open(let until) where now < until: return (.refused(for: until - now), nil)
        case .open:
            state = .halfOpen(probing: [permit], succeeded: 0)
            return (.probe(permit), .halfOpened)
        case .halfOpen(var probing, let succeeded):
            guard probing.count + succeeded < limits.probes else { return (.refused(for: nil), nil) }
            probing.insert(permit)
            state = .halfOpen(probing: probing, succeeded: succeeded)
            return (.probe(permit), nil)
        }
    }

    /// Records the outcome of an attempt, and takes back its permit, if it had one.
    ///
    /// Only probes count while the circuit is half-open. Nothing counts while it is open, because those attempts began
    /// before.
    mutating func record(_ health: Health, permit: UInt64?, at now: Duration, _ limits: Limits) -> Change? {
        switch state {
        case .closed(let failures):
            switch health {
            case .healthy: state = .closed(failures: 0)
            case .failing where failures + 1 >= limits.failures: return open(at: now, limits)
            case .failing: state = .closed(failures: failures + 1)
            case .unknown: break
            }
        case .open: break
        case .halfOpen(var probing, var succeeded):
            guard let permit, probing.remove(permit) != nil else { return nil }
            if health == .failing { return open(at: now, limits) }
            if health == .healthy { succeeded += 1 }
            if succeeded >= limits.probes {
                state = .closed(failures: 0)
                return .closed
            }
            state = .halfOpen(probing: probing, succeeded: succeeded)
        }
        return nil
    }

    /// Opens a closed circuit, because enough other processes have opened theirs.
    mutating func openByPeers(at now: Duration, _ limits: Limits) -> Change? {
        isClosed ? open(at: now, limits) : nil
    }

    private mutating func open(at now: Duration, _ limits: Limits) -> Change {
        state = .open(until: now + limits.openTime)
        return .opened
    }
}
