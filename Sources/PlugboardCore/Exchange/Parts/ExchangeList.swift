/// The neighbours of an exchange in one of the lists that run through exchanges.
struct ExchangeLinks {
    fileprivate var next: ExchangeCore?
    fileprivate unowned(unsafe) var previous: ExchangeCore?
    fileprivate var isListed = false
}

/// Which links of an exchange a list uses.
protocol ExchangeLine {
    /// Yields the links in place.
    static subscript(exchange: ExchangeCore) -> ExchangeLinks { get set }
}

/// A list that runs through the exchanges themselves: entering and leaving allocate nothing, and cost the same wherever
/// an exchange stands. An exchange leaves it before it ends.
struct ExchangeList<Line: ExchangeLine> {
    private(set) var first: ExchangeCore?
    private unowned(unsafe) var last: ExchangeCore?

    @inline(__always)
    func contains(_ exchange: ExchangeCore) -> Bool { Line[exchange].isListed }

    @inline(__always)
    mutating func append(_ exchange: ExchangeCore) {
        Line[exchange].isListed = true
        Line[exchange].previous = last
        if let last { Line[last].next = exchange } else { first = exchange }
        last = exchange
    }

    /// Returns false if it is not in the list.
    @inline(__always)
    @discardableResult
    mutating func remove(_ exchange: ExchangeCore) -> Bool {
        guard Line[exchange].isListed else { return false }
        let links = Line[exchange]
        Line[exchange] = ExchangeLinks()
        if let next = links.next { Line[next].previous = links.previous } else { last = links.previous }
        if let previous = links.previous { Line[previous].next = links.next } else { first = links.next }
        return true
    }

    /// The current exchanges, in the order of their arrival.
    var all: [ExchangeCore] {
        var all: [ExchangeCore] = []
        var next = first
        while let exchange = next {
            all.append(exchange)
            next = Line[exchange].next
        }
        return all
    }
}

/// The exchanges under way.
enum UnderWay: ExchangeLine {
    static subscript(exchange: ExchangeCore) -> ExchangeLinks {
        @inline(__always) _read { yield exchange.linksUnderWay }
        @inline(__always) _modify { yield &exchange.linksUnderWay }
    }
}

/// The exchanges that wait for a connection.
enum Queued: ExchangeLine {
    static subscript(exchange: ExchangeCore) -> ExchangeLinks {
        @inline(__always) _read { yield exchange.linksInQueue }
        @inline(__always) _modify { yield &exchange.linksInQueue }
    }
}
