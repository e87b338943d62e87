/// The exchanges under way on one loop, for shutting down in an orderly way. [loop]
struct UnderWayExchanges {
    private var list = ExchangeList<UnderWay>()
    private var count = 0
    /// How many of them are traced.
    private(set) var tracedCount = 0
    private var isClosing = false
    private var isClosed = false
    private var whenIdle: [() -> Void] = []

    /// The exchanges as they are now, the oldest first.
    ///
    /// In this order a shutdown cancels them: libcurl walks its list of connections for each one that it closes, and
    /// finds an old one at the beginning. In the other order, ten thousand take seconds.
    var all: [ExchangeCore] { list.all }

    /// False while the kernel is shutting down; it still takes sub-requests until the exchanges under way are
    /// cancelled.
    mutating func enter(_ exchange: ExchangeCore) -> Bool {
        guard !isClosed, !isClosing || exchange.family.depth > 0 else { return false }
        list.append(exchange)
        count += 1
        if exchange.trace != nil { tracedCount += 1 }
        return true
    }

    func contains(_ exchange: ExchangeCore) -> Bool { list.contains(exchange) }

    /// The exchange has ended.
    ///
    /// - Returns: What has to be done now, because it was the last one.
    mutating func remove(_ exchange: ExchangeCore) -> [() -> Void] {
        guard list.remove(exchange) else { return [] }
        count -= 1
        if exchange.trace != nil { tracedCount -= 1 }
        guard count == 0, !whenIdle.isEmpty else { return [] }
        defer { whenIdle = [] }
        return whenIdle
    }

    /// Takes no more requests of programs.
    ///
    /// - Parameter job: To be done when the last exchange has left.
    /// - Returns: True if there is none, and the job is to be done now.
    mutating func close(_ job: @escaping () -> Void) -> Bool {
        isClosing = true
        if count > 0 { whenIdle.append(job) }
        return count == 0
    }

    /// Takes nothing any more, not even sub-requests.
    ///
    /// - Returns: The exchanges that are to be cancelled.
    mutating func closeAtOnce() -> [ExchangeCore] {
        isClosed = true
        return all
    }
}
