import PlugboardKit
import Synchronization

/// The requests under way that others may wait for.
final class Flights: Sendable {
    private let underWay = Mutex<[FlightKey: Flight]>([:])

    enum Boarding {
        /// Nobody asks yet: the caller does, and ends the flight in any case.
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

    /// Ends a flight, so that the next request of its key leads a new one.
    func end(_ flight: Flight, _ ending: Flight.Ending) {
        underWay.withLock { flights in
            if flights[flight.key] === flight { flights[flight.key] = nil }
        }
        flight.end(ending)
    }
}
