import PlugboardKit
import Synchronization

/// The state of a request that the cache sent on, until its turn ends. Used by hooks only, which never overlap.
final class CacheTurn {
    var forward: Forward
    /// When the request was sent, since 1970.
    let requested: Duration
    /// The flight that identical requests wait for, if this request leads.
    let flight: Flight?
    /// Whether the request waited for an identical one before.
    let isCollapsed: Bool
    var recording: Recording?
    /// The bodies that the response may need, by entry id. Holding them keeps them readable.
    let kept: [Int64: any StoredSource]

    init(
        _ forward: Forward, requested: Duration, flight: Flight?, isCollapsed: Bool, kept: [Int64: any StoredSource]
    ) {
        self.kept = kept
        self.forward = forward
        self.requested = requested
        self.flight = flight
        self.isCollapsed = isCollapsed
    }
}

/// The state of a request that waits. Used by hooks only, which never overlap.
final class Pause {
    enum Reason {
        /// Waits for the store's entries.
        case entries(Found)
        /// Waits for the first pieces of the stored body; contains all entries that were found.
        case body(Reuse, any StoredSource, Prepared, [CacheEntry])
        /// Waits for an identical request that is under way.
        case flight(Flight)
        /// Waits to lead for the fleet, or for an identical request of another process.
        case fleet(FleetSeat)
        /// Waits for a stored body that the response may need; contains its entry, and all that were found.
        case load(FleetBody, CacheEntry, [CacheEntry])
    }

    let lookup: Lookup
    let reason: Reason
    let waited: Waited
    /// The number of bytes of the leading request's body at the last check.
    var received: Int?

    init(_ lookup: Lookup, _ reason: Reason, _ waited: Waited) {
        self.lookup = lookup
        self.reason = reason
        self.waited = waited
    }

    /// Whether the first pieces of a body are undamaged, set by the store's thread; false until then.
    final class Prepared: Sendable {
        private let flag = Atomic(false)

        var isIntact: Bool { flag.load(ordering: .acquiring) }

        func set(_ isIntact: Bool) { flag.store(isIntact, ordering: .releasing) }
    }

    /// The entries that the store found, set by the store's thread.
    final class Found: Sendable {
        private let entries = Mutex<[CacheEntry]?>(nil)

        var all: [CacheEntry]? { entries.withLock { $0 } }

        func set(_ found: [CacheEntry]) { entries.withLock { $0 = found } }
    }
}

/// Whether a request has waited for an identical one, and may wait again.
struct Waited {
    /// When the wait began, on the monotonic clock; nil if the request has not waited.
    var since: Duration?
    var mayWait = true
    /// The number of landed flights before the look-up.
    var landings = 0
    /// Whether the request has looked up again because another request stored something in the meantime.
    var hasLookedAgain = false
    /// The flight that the request leads in this process, until it is sent. A request that looks up with it leads for
    /// the fleet, too.
    var seat: FleetSeat?
}
