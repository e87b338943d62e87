import PlugboardStore

/// Whether the store works, for all keys of a table.
///
/// Sendable because it is touched only under the lock of `Limits`.
final class StoreOutage: @unchecked Sendable {
    /// How long the store is not asked after it has failed, in nanoseconds.
    static let pause: Int64 = 1_000_000_000

    /// Whether the store has failed, so that this process keeps all rates for itself alone.
    var isOn = false
    /// The store is not asked before this time.
    var nextAsk = Int64.min
}

/// Rates that a fleet shares.
extension LimitTable {
    /// The portions of a key's rate.
    struct Portions: Sendable {
        let key: LimitedKey
        /// The rate's place in its rule.
        let rate: Int
        let lease: RateLease

        init(_ key: LimitedKey, _ rate: Int) { (self.key, self.rate, lease) = (key, rate, key.leases[rate]) }
    }

    /// Puts into the effects what a key needs of the store, and what it gives back.
    func share(_ key: LimitedKey, at now: Int64, _ effects: inout Effects) {
        for rate in key.leases.indices {
            let unused = key.leases[rate].expire(keeping: key.waiting + key.promised, at: now)
            effects.giveBack(Portions(key, rate), unused)
            if let count = key.ask(rate, at: now) { effects.wanted.append((Portions(key, rate), count)) }
        }
    }

    /// Adds portions that were taken, or lets the process act alone because the store failed. What an ask brings that
    /// has ended already goes back.
    mutating func took(
        _ result: Result<PortionStore.Reply, StoreFailure>, _ portions: Portions, from begin: Int64, at now: Int64
    ) -> Effects {
        let (key, rate) = (portions.key, portions.rate)
        var effects = Effects()
        guard key.leases[rate].isAsked(by: portions.lease) else {
            effects.giveBack(portions, (try? result.get())?.numbers ?? [])
            return effects
        }
        switch result {
        case .success(let reply):
            key.leases[rate].took(reply, from: begin, at: now)
            if outage.isOn { effects.news = .ended }
            (outage.isOn, outage.nextAsk) = (false, .min)
        case .failure(let failure):
            key.leases[rate].failed()
            if !outage.isOn { effects.news = .began(failure) }
            (outage.isOn, outage.nextAsk) = (true, now + StoreOutage.pause)
        }
        effects.add(settle([key], at: now))
        return effects
    }

    /// Gives back all portions of a key that this process has taken, also those that are used up.
    func forgetPortions(of key: LimitedKey, _ effects: inout Effects) {
        for rate in key.leases.indices {
            _ = key.leases[rate].end()
            effects.giveBack(Portions(key, rate), Array(0..<key.leases[rate].portionCount))
        }
    }

    /// Gives back all portions of which nothing is used.
    func endLeases() -> Effects {
        var effects = Effects()
        for key in keys.flatMap(\.values) {
            for rate in key.leases.indices { effects.giveBack(Portions(key, rate), key.leases[rate].end()) }
        }
        return effects
    }
}
