import PlugboardKit

/// The budgets and circuits of origins in trouble; a pure value, and time is given to it.
///
/// An origin whose budget is full and whose circuit is closed is not in it: earning into a full budget, and a success
/// without failures before it, change nothing. So as long as all is well there is nothing to look up.
struct OriginTable: Sendable {
    struct Limits: Sendable {
        /// Nil where there are no budgets, or no circuit breakers.
        var budget: RetryBudget.Limits? = RetryBudget.Limits()
        var circuit: CircuitBreaker.Limits?
        /// Origins that are remembered; beyond it goes the one that was not asked for longest.
        var count = 1024
        /// An origin that nobody asked for so long is forgotten.
        var idleTime = Duration.seconds(600)
    }

    struct Entry: Sendable {
        fileprivate(set) var budget: RetryBudget?
        fileprivate(set) var circuit = CircuitBreaker()
        fileprivate(set) var used: Duration
    }

    private(set) var entries: [Origin: Entry] = [:]
    let limits: Limits
    private var lastPermit: UInt64 = 0
    private var nextSweep = Duration.zero

    init(_ limits: Limits) { self.limits = limits }

    /// A first attempt is about to begin.
    mutating func admit(
        _ origin: Origin, at now: Duration
    ) -> (CircuitBreaker.Admission, CircuitBreaker.Change?) {
        lastPermit &+= 1
        let permit = lastPermit
        return change(origin, at: now, isNew: false) { entry, limits in
            if let budget = limits.budget { entry.budget?.earn(at: now, budget) }
            return limits.circuit.map { entry.circuit.admit(permit, at: now, $0) } ?? (.free, nil)
        } ?? (.free, nil)
    }

    /// What came of an attempt. Gives back the permit, if it had one.
    mutating func record(
        _ health: CircuitBreaker.Health, of origin: Origin, permit: UInt64? = nil, at now: Duration
    ) -> CircuitBreaker.Change? {
        guard let circuit = limits.circuit else { return nil }
        return change(origin, at: now, isNew: health == .failing) { entry, _ in
            entry.circuit.record(health, permit: permit, at: now, circuit)
        } ?? nil
    }

    /// Takes a token for a repetition, or says what is against it.
    mutating func repeatRequest(to origin: Origin, at now: Duration) -> RetryPolicy.Reason? {
        change(origin, at: now, isNew: limits.budget != nil) { entry, limits in
            guard entry.circuit.isClosed else { return .circuit }
            guard let budget = limits.budget else { return nil }
            return entry.budget?.spend(at: now, budget) == false ? .budget : nil
        } ?? nil
    }

    /// A repetition that a token was taken for was not made.
    mutating func giveBackToken(of origin: Origin, at now: Duration) {
        _ = change(origin, at: now, isNew: false) { entry, limits in
            if let budget = limits.budget { entry.budget?.giveBack(budget) }
        }
    }

    mutating func forget() { entries = [:] }

    // MARK: What is remembered

    /// Looks at one origin's entry, which is made if it is to be, and goes when nothing is left to remember.
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

    /// Nothing would be different if it were not there.
    private func isSpent(_ entry: Entry, at now: Duration) -> Bool {
        guard entry.circuit.isFresh else { return false }
        guard let budget = limits.budget else { return true }
        return entry.budget?.isFull(at: now, budget) ?? true
    }

    /// At most once a second.
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
