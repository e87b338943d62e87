import PlugboardKit
import Synchronization

/// The requests under way that others may wait for.
final class Flights: Sendable {
    private let underWay = Mutex<[FlightKey: Flight]>([:])
    private let landed = Atomic(0)

    /// The number of flights that have stored their response. If it is the same at a look-up and at `board`, no flight
    /// has stored a response in between.
    var landings: Int { landed.load(ordering: .acquiring) }

    enum Boarding {
        /// There was no flight: the caller leads, and must end the new flight.
        case leads(Flight)
        case follows(Flight)
    }

    func board(_ key: FlightKey) -> Boarding {
        underWay.withLock { flights in
            if let flight = flights[key] { return .follows(flight) }
            let flight = Flight(key)
            flights[key] = flight
            return .leads(flight)
        }
    }

    /// Ends a flight, so that the next request with its key leads a new one.
    func end(_ flight: Flight, _ ending: Flight.Ending) {
        underWay.withLock { flights in
            if ending == .landed { landed.add(1, ordering: .releasing) }
            if let index = flights.index(forKey: flight.key), flights.values[index] === flight {
                flights.remove(at: index)
            }
        }
        flight.end(ending)
        flight.lease.withLock { $0.take() }?.end(ending)
    }
}

/// A request under way that identical requests wait for.
final class Flight: Sendable {
    /// How the flight ended, for the waiting requests.
    enum Ending: Sendable {
        /// Its response is stored.
        case landed
        /// Its response cannot be used for other requests: all waiting requests are sent at once.
        case fruitless
        /// It failed or was cancelled: one of the waiting requests leads next.
        case failed
    }

    let key: FlightKey
    /// What makes it lead the fleet's flight, too.
    let lease = Mutex<FleetLease?>(nil)
    private let state = Mutex(State())

    private struct State {
        var waiting: [Ticket] = []
        var ending: Ending?
        /// The bytes of the body so far, once the head has come.
        var received: Int?
    }

    init(_ key: FlightKey) { self.key = key }

    /// How it ended; nil while it is under way.
    var ending: Ending? { state.withLock { $0.ending } }

    /// The bytes of the body so far; nil before the head has come.
    var received: Int? { state.withLock { $0.received } }

    /// Records the number of bytes received so far.
    func receive(_ count: Int) { state.withLock { $0.received = count } }

    /// Adds a waiting request; false if the flight has ended.
    func add(_ ticket: Ticket) -> Bool {
        state.withLock { state in
            guard state.ending == nil else { return false }
            state.waiting.append(ticket)
            return true
        }
    }

    /// Wakes all waiting requests; later calls have no effect.
    func end(_ ending: Ending) {
        let waiting = state.withLock { state -> [Ticket] in
            guard state.ending == nil else { return [] }
            state.ending = ending
            defer { state.waiting = [] }
            return state.waiting
        }
        for ticket in waiting { ticket.wake() }
    }
}

/// The properties that make requests identical, as far as they are known before the response.
struct FlightKey: Hashable, Sendable {
    let key: CacheKey
    let version: String
    /// The values of the fields that have selected responses so far.
    let selecting: [String?]

    /// Omits the version, which is the same for most requests.
    func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(selecting)
    }
}
