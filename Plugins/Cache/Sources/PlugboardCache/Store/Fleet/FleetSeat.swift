import PlugboardKit
import Synchronization

/// The place of a request that leads a flight of its process, and waits for the fleet. Ends the flight if the request
/// ends before it is sent.
final class FleetSeat: Sendable {
    private struct State {
        var flight: Flight?
        var boarding: FleetFlights.Boarding?
        var ticket: Ticket?
    }

    /// When the request began to wait.
    let since: Duration
    private let flights: Flights
    private let state: Mutex<State>

    init(_ flight: Flight, _ flights: Flights, since: Duration) {
        (self.flights, self.since) = (flights, since)
        state = Mutex(State(flight: flight))
    }

    deinit { end(.failed) }

    /// Boards, and wakes the ticket when something has come of it. Called again in intervals, because a leader may die.
    func board(_ fleet: FleetFlights, _ ticket: Ticket) {
        let flight = state.withLock { state -> Flight? in
            state.ticket = ticket
            // What an earlier call has brought since wakes this ticket.
            if state.boarding != nil { return nil }
            return state.flight
        }
        guard let flight else {
            ticket.wake()
            return
        }
        fleet.board(flight) { [weak self] boarding in
            guard let self, self.take(boarding) else {
                if case .leads(let lease) = boarding { lease?.end(.failed) }
                return
            }
        }
    }

    /// Keeps a result. Returns false if the request has ended, or leads already.
    private func take(_ boarding: FleetFlights.Boarding) -> Bool {
        let (isTaken, ticket) = state.withLock { state -> (Bool, Ticket?) in
            guard state.flight != nil else { return (false, nil) }
            // An earlier call may have the lock, which refuses it to the next one.
            if case .leads = state.boarding { return (false, nil) }
            state.boarding = boarding
            return (true, state.ticket)
        }
        ticket?.wake()
        return isTaken
    }

    /// What has come of boarding; nil while that is unknown. A lease is the flight's from now on.
    func takeBoarding() -> FleetFlights.Boarding? {
        state.withLock { state in
            if case .leads(let lease) = state.boarding { state.flight?.lease.withLock { $0 = lease } }
            defer { state.boarding = nil }
            return state.boarding
        }
    }

    /// Hands the flight over to the request that is sent.
    func take() -> Flight? { state.withLock { $0.flight.take() } }

    func end(_ ending: Flight.Ending) {
        let (flight, boarding) = state.withLock { state in (state.flight.take(), state.boarding.take()) }
        if let flight { flights.end(flight, ending) }
        if case .leads(let lease) = boarding { lease?.end(ending) }
    }
}
