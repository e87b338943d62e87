import PlugboardKit

/// What a request waits for in a store that a fleet shares.
extension Cache {
    /// Leads for the fleet, or waits for the request of another process.
    func board(
        _ seat: FleetSeat, of fleet: FleetFlights, _ lookup: Lookup, _ exchange: borrowing Exchange, _ waited: Waited
    ) -> RequestVerdict {
        let ticket = exchange.ticket(within: Cache.flightPeriod)
        var waited = waited
        waited.seat = seat
        exchange.state = Pause(lookup, .fleet(seat), waited)
        seat.board(fleet, ticket)
        return .wait(ticket)
    }

    func goOn(_ seat: FleetSeat, _ pause: Pause, _ exchange: borrowing Exchange) -> RequestVerdict {
        let waited = Waited(since: pause.waited.since, hasLookedAgain: true, seat: seat)
        var ending: Flight.Ending?
        switch seat.takeBoarding() {
        case .leads:
            // The process that led before may have stored the response since the look-up.
            return lookUp(pause.lookup, exchange, waited)
        case .follows(.landed): ending = .landed
        case .follows(.fruitless): ending = .fruitless
        case .follows(.failed), .follows(nil), nil:
            if host.now - seat.since >= settings.singleFlightLimit { ending = .fruitless }
        }
        if let ending {
            seat.end(ending)
            return lookUp(pause.lookup, exchange, Waited(since: seat.since, mayWait: false))
        }
        if let fleet { return board(seat, of: fleet, pause.lookup, exchange, waited) }
        return lookUp(pause.lookup, exchange, waited)
    }

    /// Reads a body that the response may need before the request is sent, so that no outage can break the response.
    func load(
        _ forward: Forward, _ lookup: Lookup, _ entries: [CacheEntry], _ exchange: borrowing Exchange, _ waited: Waited
    ) -> RequestVerdict? {
        guard let fleet, lookup.method != .head else { return nil }
        let loaded = entries.reduce(0) { $0 + ($1.pieces == nil ? 0 : $1.length) }
        for entry in forward.needed where entry.pieces == nil {
            guard let body = store.body(of: entry, 0..<entry.length) as? FleetBody else { continue }
            // Further variants are not validated, so that a request has no more in memory than one long body.
            if loaded > 0, loaded + entry.length > fleet.store.largest {
                return decide(lookup, entries.filter { $0.id != entry.id }, exchange, waited)
            }
            let ticket = exchange.ticket(within: store.patience)
            exchange.state = Pause(lookup, .load(body, entry, entries), waited)
            body.prepare { _ in ticket.wake() }
            return .wait(ticket)
        }
        return nil
    }
}

extension Forward {
    /// The entries whose bodies may be served when the response has come.
    var needed: [CacheEntry] {
        entries.isEmpty ? [] : [completed, selected].compactMap { $0 } + validated
    }
}
