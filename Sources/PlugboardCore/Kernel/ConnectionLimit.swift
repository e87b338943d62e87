import PlugboardMessages

/// A loop's share of a number of connections, and the exchanges that wait for one of them in the order in which they
/// came.
///
/// It counts and decides only; `Admission` acts. An exchange waits in at most one of them.
///
/// Accesses are not checked for exclusivity at run time: every attempt needs some, and no function here calls out.
final class ConnectionLimit {
    /// The host whose connections are limited; nil for all hosts together.
    let host: Origin?
    private let share: Share
    /// The limit; 0 for none.
    private var limit: Int { share.own }
    /// How many attempts run.
    @exclusivity(unchecked) private(set) var inUse = 0
    /// How many connections are free and held back: see `Admission`.
    var heldCount = 0
    /// Whether the attempts share connections, so that their number says nothing about that of connections.
    var isShared = false
    var isAdmitting = false
    @exclusivity(unchecked) private var queue = ExchangeList<Queued>()

    init(_ share: Share, host: Origin? = nil) {
        self.share = share
        self.host = host
    }

    var hasWaiting: Bool { queue.first != nil }

    private var hasFree: Bool { limit == 0 || isShared || inUse + heldCount < limit }

    /// Counts a connection as used, whether one is free or not.
    func take() { inUse += 1 }

    /// Takes a connection for the exchange, or else lets it wait. Sub-requests never wait, because an exchange that
    /// waits for one keeps its connection.
    func takeOrQueue(_ exchange: ExchangeCore) -> Bool {
        guard exchange.family.depth > 0 || !hasWaiting && hasFree else {
            queue.append(exchange)
            exchange.attempts.waitsFor = self
            return false
        }
        inUse += 1
        return true
    }

    /// Takes a connection for the exchange that has waited longest; nil if none is free or none waits.
    func takeForNext() -> ExchangeCore? {
        while hasFree, let exchange = queue.first {
            remove(exchange)
            // The exchange is about to end.
            if exchange.isCancelWanted || exchange.isOverdue { continue }
            inUse += 1
            return exchange
        }
        return nil
    }

    func remove(_ exchange: ExchangeCore) {
        queue.remove(exchange)
        exchange.attempts.waitsFor = nil
    }

    func giveBack() { inUse -= 1 }

    /// What an exchange waits for here, as the end of a sentence.
    var description: String {
        host.map { "a free connection to \($0) (kernel.connectionsPerHost is \(share.whole))" }
            ?? "a free connection (kernel.connections is \(share.whole))"
    }
}
