import PlugboardStore

extension LimitTable {
    /// What is to be done when the lock is free.
    struct Effects: Sendable {
        var wakes: [@Sendable () -> Void] = []
        /// The times for which timers of keys must be set, which then call `timerFired`.
        var timers: [(key: LimitedKey, time: Int64)] = []
        /// How many portions to ask the store for; `took` must follow.
        var wanted: [(portions: Portions, count: Int)] = []
        /// The numbers of portions to give back to the store.
        var unused: [(portions: Portions, numbers: [Int])] = []
        /// What is to be said of the store.
        var news: StoreNews?
    }

    /// An outage of the store.
    enum StoreNews: Sendable {
        case began(StoreFailure), ended
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
        news = later.news ?? news
    }
}
