import PlugboardKit

/// The budgets and circuits of origins that have failed; a pure value that gets the time as an argument.
///
/// An origin with a full budget and a closed circuit without recent failures has no entry: neither a first attempt nor
/// a success would change it. So no look-up is needed while no origin fails.
struct OriginTable: Sendable {
    struct Limits: Sendable {
        /// Nil without budgets or without circuit breakers.
        var budget: RetryBudget.Limits? = RetryBudget.Limits()
        var circuit: CircuitBreaker.Limits?
        /// The most origins that are kept; above it the least recently used one is removed.
        var count = 1024
        /// The time without requests after which an origin is removed.
        var idleTime = Duration.seconds(600)
    }

    struct Entry: Sendable {
        fileprivate(set) var budget: RetryBudget?
        fileprivate(set) var circuit = CircuitBreaker()
        fileprivate(set) var used: Duration
    }

    private(set) var entries: [Origin: Entry] = [:]
    private(set) var limits: Limits
    private var lastPermit: UInt64 = 0
    private var nextSweep = Duration.zero

    init(_ limits: Limits) { self.limits = limits }

    /// Budgets are the fleet's from now on. Called before the first request.
    mutating func share() { limits.budget?.isShared = true }

    /// Decides whether a first attempt may begin.
    mutating func admit(
        _ origin: Origin, at now: Duration
    ) -> (CircuitBreaker.Permission, CircuitBreaker.Change?) {
        lastPermit &+= 1
        let permit = lastPermit
        return change(origin, at: now, isNew: false) { entry, limits in
            if let budget = limits.budget { entry.budget?.earn(at: now, budget) }
            return limits.circuit.map { entry.circuit.admit(permit, at: now, $0) } ?? (.free, nil)
        } ?? (.free, nil)
    }

    /// Records the outcome of an attempt. Takes back its permit, if it had one.
    mutating func record(
        _ health: CircuitBreaker.Health, of origin: Origin, permit: UInt64? = nil, at now: Duration
    ) -> CircuitBreaker.Change? {
        guard let circuit = limits.circuit else { return nil }
        return change(origin, at: now, isNew: health == .failing) { entry, _ in
            entry.circuit.record(health, permit: permit, at: now, circuit)
        } ?? nil
    }

    /// Takes a token for a repetition, or returns the reason against it.
    mutating func repeatRequest(to origin: Origin, at now: Duration) -> RetryPolicy.Reason? {
        change(origin, at: now, isNew: limits.budget != nil) { entry, limits in
            guard entry.circuit.isClosed else { return .circuit }
            guard let budget = limits.budget else { return nil }
            return entry.budget?.spend(at: now, budget) == false ? .budget : nil
        } ?? nil
    }

    /// The tokens to take from the fleet's store now, for a repetition that waits for one or for later ones; nil to
    /// take none.
    mutating func ask(for origin: Origin, isWaited: Bool, at now: Duration) -> Int? {
        change(origin, at: now, isNew: false) { entry, limits in
            limits.budget.flatMap { entry.budget?.ask(isWaited: isWaited, at: now, $0) }
        } ?? nil
    }

    /// Adds tokens from the store; nil where it failed.
    mutating func took(_ count: Int?, for origin: Origin, at now: Duration) {
        _ = change(origin, at: now, isNew: false) { entry, limits in
            if let budget = limits.budget { entry.budget?.took(count, at: now, budget) }
        }
    }

    /// Opens a circuit that enough other processes have opened.
    mutating func openByPeers(_ origin: Origin, at now: Duration) -> CircuitBreaker.Change? {
        guard let circuit = limits.circuit else { return nil }
        return change(origin, at: now, isNew: true) { entry, _ in entry.circuit.openByPeers(at: now, circuit) } ?? nil
    }

    /// Returns a token whose repetition was not made.
    mutating func giveBackToken(of origin: Origin, at now: Duration) {
        _ = change(origin, at: now, isNew: false) { entry, limits in
            if let budget = limits.budget { entry.budget?.giveBack(budget) }
        }
    }

    /// Returns the origins that it knew.
    mutating func forget() -> [Origin] {
        defer { entries = [:] }
        return Array(entries.keys)
    }

    // MARK: Entries

    /// Changes an origin's entry, which is created if `isNew`, and removed if it holds no information afterwards.
    private mutating func change<Result>(
        _ origin: Origin, at now: Duration, isNew: Bool, _ body: (inout Entry, Limits) -> Result
    ) -> Result? {
        sweep(at: now)
        if entries[origin] == nil {
            guard isNew else { return nil }
            makeRoom()
        }
        var entry = entries[origin] ?? Entry(budget: limits.budget.map { RetryBudget(at: now, $0) }, used: now)
        let result = body(&entry, limits)
        entry.used = now
        entries[origin] = isSpent(entry, at: now) ? nil : entry
        return result
    }

    /// Whether an entry holds no information: a missing entry would have the same effect.
    private func isSpent(_ entry: Entry, at now: Duration) -> Bool {
        guard entry.circuit.isFresh else { return false }
        guard let budget = limits.budget else { return true }
        return entry.budget?.isFull(at: now, budget) ?? true
    }

    /// Removes old entries, at most once a second.
    private mutating func sweep(at now: Duration) {
        guard now >= nextSweep, !entries.isEmpty else { return }
        nextSweep = now + .seconds(1)
        for (origin, entry) in entries where isSpent(entry, at: now) || isIdle(entry, at: now) {
            entries[origin] = nil
        }
    }

    private func isIdle(_ entry: Entry, at now: Duration) -> Bool {
        if case .open(let until) = entry.circuit.state, now < until { return false }
        return now - entry.used > limits.idleTime
    }

    private mutating func makeRoom() {
        guard entries.count >= limits.count else { return }
        if let oldest = entries.min(by: { $0.value.used < $1.value.used }) { entries[oldest.key] = nil }
    }
}
