import PlugboardMessages

/// A loop's share of a limit of connections, and the exchanges that wait for one of these connections in the order in
/// which they came.
///
/// It counts and decides only; `ConnectionLimits` acts. An exchange waits in at most one of them.
///
/// Accesses are not checked for exclusivity at run time, because every attempt makes some and no function here calls
/// other code.
package final class ConnectionQuota {
    /// The host whose connections are limited; nil for all hosts together.
    let host: Origin?
    private let share: LimitShare
    /// 0 for no limit.
    private var limit: Int { share.own }
    /// How many attempts run.
    @exclusivity(unchecked) private(set) var inUse = 0
    /// How many connections are free and held back: see `ConnectionLimits`.
    var heldCount = 0
    /// Whether the attempts share connections, so that their number says nothing about that of connections.
    var isShared = false
    var isAdmitting = false
    @exclusivity(unchecked) private var queue = ConnectionQueue()

    init(_ share: LimitShare, host: Origin? = nil) {
        self.share = share
        self.host = host
    }

    var hasWaiting: Bool { queue.first != nil }

    private var hasFree: Bool { limit == 0 || isShared || inUse + heldCount < limit }

    /// Counts a connection as used, whether one is free or not.
    func take() { inUse += 1 }

    /// Takes a connection for the exchange, or else lets it wait.
    func takeOrQueue(_ user: any ConnectionUser) -> Bool {
        guard !hasWaiting && hasFree || !user.mayWait else {
            queue.append(user.placed(), waitingFor: self)
            return false
        }
        inUse += 1
        return true
    }

    /// Takes a connection for the exchange that has waited longest; nil if none is free or none waits.
    func takeForNext() -> (any ConnectionUser)? {
        while hasFree, let place = queue.first {
            let user = place.user
            remove(place)
            if user.isAboutToEnd { continue }
            inUse += 1
            return user
        }
        return nil
    }

    func remove(_ place: ConnectionPlace) { queue.remove(place) }

    func giveBack() { inUse -= 1 }

    /// What an exchange waits for here, as the end of a sentence.
    package var description: String {
        host.map { "a free connection to \($0) (kernel.connectionsPerHost is \(share.whole))" }
            ?? "a free connection (kernel.connections is \(share.whole))"
    }
}

/// A loop's share of a limit that holds for the whole kernel. The shares of all loops add up to the limit.
package struct LimitShare {
    /// The limit of the whole kernel; 0 for no limit.
    let whole: Int
    /// The loop's part of it; 0 for no limit.
    package let own: Int

    /// - Precondition: There are not more loops than the limit, if there is one.
    package init(of limit: Int, index: Int = 0, count: Int = 1) {
        whole = limit
        own = limit / count + (index < limit % count ? 1 : 0)
    }
}
