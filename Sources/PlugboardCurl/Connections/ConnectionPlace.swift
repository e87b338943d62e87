import PlugboardMessages

/// An exchange as the limits of connections see it. All members are used on its loop.
package protocol ConnectionUser: AnyObject {
    /// False if the exchange must never wait for a connection, because another one that has a connection waits for it.
    var mayWait: Bool { get }
    /// Whether a cancel or a timeout is about to end the exchange, so that it needs no connection any more.
    var isAboutToEnd: Bool { get }
    /// Where its attempt is sent, and whether that attempt shares its connection; nil without an attempt under way.
    var attemptUnderWay: (url: String, sharesConnection: Bool)? { get }
    /// The place of the exchange in the limits. Only `ConnectionLimits` sets it.
    var place: ConnectionPlace? { get set }
    /// A connection is free: the attempt begins. It ends with one call of `ConnectionLimits.attemptEnded`.
    func beginOnFreeConnection()
}

/// The place of an exchange in the limits, once it waits for a connection or its host is counted.
package final class ConnectionPlace {
    unowned let user: any ConnectionUser
    /// Keeps the exchange while it waits.
    fileprivate var waiting: (any ConnectionUser)?
    fileprivate var next: ConnectionPlace?
    fileprivate unowned(unsafe) var previous: ConnectionPlace?
    /// The quota that the exchange waits for; nil if it does not wait.
    package fileprivate(set) var quota: ConnectionQuota?
    /// The host that has a connection for the exchange.
    var host: ConnectionQuota?

    init(_ user: any ConnectionUser) { self.user = user }
}

/// Places in the order in which their exchanges came. Entering and leaving cost the same wherever a place stands.
struct ConnectionQueue {
    private(set) var first: ConnectionPlace?
    private unowned(unsafe) var last: ConnectionPlace?

    mutating func append(_ place: ConnectionPlace, waitingFor quota: ConnectionQuota) {
        (place.waiting, place.quota) = (place.user, quota)
        place.previous = last
        if let last { last.next = place } else { first = place }
        last = place
    }

    mutating func remove(_ place: ConnectionPlace) {
        let (next, previous) = (place.next, place.previous)
        if let next { next.previous = previous } else { last = previous }
        if let previous { previous.next = next } else { first = next }
        (place.next, place.previous, place.quota) = (nil, nil, nil)
        place.waiting = nil
    }
}

extension ConnectionUser {
    /// The place of the exchange, made when it is needed first.
    func placed() -> ConnectionPlace {
        if let place { return place }
        let place = ConnectionPlace(self)
        self.place = place
        return place
    }
}
