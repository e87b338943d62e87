import PlugboardKit

/// Leaves an origin alone that fails again and again.
///
///             failures in a row             openTime has passed
///     closed ───────────────────▶ open ──────────────────────────▶ half-open
///        ▲                          ▲            a probe fails         │
///        │                          └──────────────────────────────────┤
///        └─────────────────────────────────────────────────────────────┘
///                                all probes came through
struct CircuitBreaker: Equatable, Sendable {
    struct Limits: Equatable, Sendable {
        /// In a row, until it opens.
        var failures = 5
        var openTime = Duration.seconds(30)
        /// Requests that must come through before it closes, and the most that try at once.
        var probes = 1
    }

    enum State: Equatable, Sendable {
        case closed(failures: Int)
        case open(until: Duration)
        /// With the permits of the probes that are under way.
        case halfOpen(probing: Set<UInt64>, succeeded: Int)
    }

    /// What an outcome says of an origin.
    enum Health: Sendable {
        case healthy, failing
        /// Nothing, such as a TLS failure or the end of an exchange that was cancelled.
        case unknown
    }

    enum Admission: Equatable {
        case free
        /// With a permit, which `record` takes back.
        case probe(UInt64)
        /// How long it stays open, or nil while probes are under way.
        case refused(for: Duration?)
    }

    enum Change: String { case opened, halfOpened, closed }

    private(set) var state = State.closed(failures: 0)

    /// Nothing is known against the origin.
    var isFresh: Bool { state == .closed(failures: 0) }
    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// May an exchange begin? `permit` is a number that no other has.
    mutating func admit(_ permit: UInt64, at now: Duration, _ limits: Limits) -> (Admission, Change?) {
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

    /// What came of an attempt; gives its permit back, if it had one.
    ///
    /// Only probes count while it is half-open, and nothing while it is open: those attempts began before.
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

    private mutating func open(at now: Duration, _ limits: Limits) -> Change {
        state = .open(until: now + limits.openTime)
        return .opened
    }
}
