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

    /// Adds portions that were taken, or lets the process act alone if there are none because the store failed.
    mutating func took(_ numbers: [Int]?, _ portions: Portions, from begin: Int64, at now: Int64) -> Effects {
        let key = portions.key
        if let numbers {
            key.leases[portions.rate].took(numbers, from: begin, at: now)
        } else {
            key.leases[portions.rate].failed(at: now)
        }
        var effects = settle([key], at: now)
        // They enter again, and are refused.
        for admission in key.waitsForStore(at: now, false) ? [] : key.takeImpatient() where admission.step == .waiting {
            effects.add(suspend(admission, at: now))
        }
        return effects
    }

    /// Gives back all portions of a key, also those that other processes have taken.
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

extension LimitTable.Effects {
    mutating func giveBack(_ portions: LimitTable.Portions, _ numbers: [Int]) {
        if !numbers.isEmpty { unused.append((portions, numbers)) }
    }

    /// Adds those of a later call.
    mutating func add(_ later: LimitTable.Effects) {
        wakes += later.wakes
        timers += later.timers
        wanted += later.wanted
        unused += later.unused
    }
}
