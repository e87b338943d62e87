/// The exchanges under way on one loop, for shutting down in an orderly way. [loop]
struct UnderWayExchanges {
    private var list = ExchangeList()
    private var count = 0
    /// How many of them are traced.
    private(set) var tracedCount = 0
    /// Counts the loops without exchanges; nil while the kernel is not shutting down.
    private var closing: Countdown?
    private var isClosed = false

    /// The exchanges as they are now, the oldest first.
    ///
    /// A shutdown cancels them in this order: libcurl walks its list of connections for each one that it closes, and
    /// finds an old one at the beginning. In the reverse order, ten thousand take seconds.
    var all: [ExchangeCore] { list.all }

    /// False while the kernel is shutting down; it still takes sub-requests while exchanges are under way on any loop,
    /// until they are cancelled.
    mutating func enter(_ exchange: ExchangeCore) -> Bool {
        guard !isClosed else { return false }
        if let closing {
            guard exchange.family.depth > 0, count > 0 || closing.expectOneMore() else { return false }
        }
        list.append(exchange)
        count += 1
        if exchange.trace != nil { tracedCount += 1 }
        return true
    }

    func contains(_ exchange: ExchangeCore) -> Bool { list.contains(exchange) }

    /// Called when the exchange has ended.
    ///
    /// - Returns: The countdown for this loop, if the kernel is shutting down and this was the last exchange.
    mutating func remove(_ exchange: ExchangeCore) -> Countdown? {
        guard list.remove(exchange) else { return nil }
        count -= 1
        if exchange.trace != nil { tracedCount -= 1 }
        return count == 0 ? closing : nil
    }

    /// Refuses further requests of programs.
    ///
    /// - Parameter idle: Counts each loop when its last exchange has left.
    /// - Returns: True if no exchange is under way: the caller then counts this loop at once.
    mutating func close(_ idle: Countdown) -> Bool {
        closing = idle
        return count == 0
    }

    /// Refuses everything from now on, even sub-requests.
    ///
    /// - Returns: The exchanges that are to be cancelled.
    mutating func closeAtOnce() -> [ExchangeCore] {
        isClosed = true
        return all
    }
}
