import PlugboardKit
import Synchronization

/// The lock of a flight that this process leads, which is renewed until the flight ends.
final class FleetLease: Sendable {
    private let name: String
    private let token: Int64
    private let flights: FleetFlights
    private let key: CacheKey
    private let state = Mutex((isOver: false, received: Int?.none))

    init(_ name: String, _ token: Int64, _ flight: Flight, _ flights: FleetFlights) {
        (self.name, self.token, self.flights, key) = (name, token, flights, flight.key.key)
        renewLater(flight)
    }

    private func renewLater(_ flight: Flight) {
        flights.store.host.schedule(after: FleetFlights.renewal) { [weak self, weak flight] in
            guard let self, let flight, !self.state.withLock({ $0.isOver }) else { return }
            self.renew(flight)
        }
    }

    private func renew(_ flight: Flight) {
        let received = flight.received
        let hasStalled = state.withLock { state in
            defer { state.received = received }
            return received != nil && received == state.received
        }
        // A body that has not grown since the last renewal may never end, so others do not wait for it.
        if hasStalled { return end(.fruitless) }
        flights.store.access.write(.renewLock(name, token: token, timeToLive: FleetFlights.lockTime)) { _ in }
        renewLater(flight)
    }

    func end(_ ending: Flight.Ending) {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        if isFirst { flights.end(name, token, key, ending) }
    }
}
