import PlugboardKit

/// The repetitions that one origin may get: a token bucket, which limits the load that repetitions add to an outage.
///
/// Each repetition takes a token. First attempts add a share of a token, and time adds tokens, up to a limit; a new
/// bucket is full. Counted in billionths, so that it is exact.
struct RetryBudget: Equatable, Sendable {
    struct Limits: Equatable, Sendable {
        /// Tokens that a hundred first attempts add.
        var share = 10
        var perSecond = 1
        /// The most tokens that a bucket can hold.
        var size = 20
        /// Whether tokens that time adds are taken from the fleet's store, some at a time.
        var isShared = false

        fileprivate var lease: Int { max(size / 10, 1) }

        fileprivate var full: Int64 { Int64(size) * RetryBudget.token }
    }

    private static let token: Int64 = 1_000_000_000

    private var billionths: Int64
    private var updated: Duration
    /// Whether the store has failed, so that time adds tokens as without it; and whether it has before.
    private var isAlone = false, wasAlone = false
    private var isAsked = false
    /// The store is not asked before this time.
    private var nextAsk = Duration.zero

    /// Creates a full bucket; a shared one is empty. All times are of one monotonic clock.
    init(at now: Duration, _ limits: Limits) {
        billionths = limits.isShared ? 0 : limits.full
        (updated, nextAsk) = (now, now)
    }

    func tokens(at now: Duration, _ limits: Limits) -> Double {
        var budget = self
        budget.refill(at: now, limits)
        return Double(budget.billionths) / Double(Self.token)
    }

    /// Adds the share of a first attempt.
    mutating func earn(at now: Duration, _ limits: Limits) {
        refill(at: now, limits)
        add(Int64(limits.share) * (Self.token / 100), limits)
    }

    /// Takes a token for a repetition; false if there is none.
    mutating func spend(at now: Duration, _ limits: Limits) -> Bool {
        refill(at: now, limits)
        guard billionths >= Self.token else { return false }
        billionths -= Self.token
        return true
    }

    /// Returns the token of a repetition that was not made.
    mutating func giveBack(_ limits: Limits) { add(Self.token, limits) }

    /// The tokens to take from the store, if there are none, and no other ask is under way; nil to take none.
    ///
    /// - Parameter isWaited: Whether a repetition waits for a token.
    mutating func ask(isWaited: Bool, at now: Duration, _ limits: Limits) -> Int? {
        guard limits.isShared, now >= nextAsk, isWaited || !isAsked && billionths < Self.token else { return nil }
        isAsked = true
        return limits.lease
    }

    /// Adds tokens from the store; nil where it failed.
    mutating func took(_ count: Int?, at now: Duration, _ limits: Limits) {
        isAsked = false
        guard let count else {
            // Once only, so that a store that fails again and again does not fill it each time.
            if !wasAlone { billionths = limits.full }
            if !isAlone { updated = now }
            (isAlone, wasAlone, nextAsk) = (true, true, now + RetryFleet.pause)
            return
        }
        isAlone = false
        add(Int64(count) * Self.token, limits)
        // The fleet's budget is spent.
        if count < limits.lease { nextAsk = now + .milliseconds(100) }
    }

    /// A shared one is never known to be.
    func isFull(at now: Duration, _ limits: Limits) -> Bool {
        var budget = self
        budget.refill(at: now, limits)
        return budget.billionths >= limits.full && !limits.isShared
    }

    private mutating func refill(at now: Duration, _ limits: Limits) {
        guard now > updated, isAlone || !limits.isShared else { return }
        let (earned, overflow) = (now - updated).nanoseconds.multipliedReportingOverflow(by: Int64(limits.perSecond))
        updated = now
        add(overflow ? limits.full : earned, limits)
    }

    private mutating func add(_ amount: Int64, _ limits: Limits) {
        let (sum, overflow) = billionths.addingReportingOverflow(amount)
        billionths = min(overflow ? .max : sum, limits.full)
    }
}
