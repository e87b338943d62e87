/// The neighbours of an exchange in the list of those under way.
struct ExchangeLinks {
    fileprivate var next: ExchangeCore?
    fileprivate unowned(unsafe) var previous: ExchangeCore?
    fileprivate var isListed = false
}

/// The exchanges under way, in a list that runs through the exchanges themselves: entering and leaving allocate
/// nothing, and cost the same wherever an exchange stands. An exchange leaves it before it ends.
struct ExchangeList {
    private var first: ExchangeCore?
    private unowned(unsafe) var last: ExchangeCore?

    @inline(__always)
    func contains(_ exchange: ExchangeCore) -> Bool { exchange.links.isListed }

    @inline(__always)
    mutating func append(_ exchange: ExchangeCore) {
        exchange.links.isListed = true
        exchange.links.previous = last
        if let last { last.links.next = exchange } else { first = exchange }
        last = exchange
    }

    /// False if it is not in the list.
    @inline(__always)
    @discardableResult
    mutating func remove(_ exchange: ExchangeCore) -> Bool {
        guard exchange.links.isListed else { return false }
        let links = exchange.links
        exchange.links = ExchangeLinks()
        if let next = links.next { next.links.previous = links.previous } else { last = links.previous }
        if let previous = links.previous { previous.links.next = links.next } else { first = links.next }
        return true
    }

    /// The exchanges as they are now, in the order of their arrival.
    var all: [ExchangeCore] {
        var all: [ExchangeCore] = []
        var next = first
        while let exchange = next {
            all.append(exchange)
            next = exchange.links.next
        }
        return all
    }
}
