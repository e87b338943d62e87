import PlugboardCacheOptions
import PlugboardKit

/// Decides what happens to a request, and carries it out.
extension Cache {
    /// How often a waiting request checks whether the other request's body still grows.
    static let flightPeriod: Duration = .milliseconds(500)

    /// Handles the first visit: asks for the whole body if the key contains it.
    func begin(_ exchange: borrowing Exchange) -> RequestVerdict {
        let rule = lookupRules.rule { exchange.attribute($0) }
        let method = exchange.request.method
        // For other methods it does not matter whether there is a body.
        guard rule.usesBody || method.isSafe else { return ask(exchange, .unseen, method, rule) }
        var hasBody = false
        exchange.wrapRequestBody { body in
            hasBody = true
            return body
        }
        if hasBody && rule.usesBody { return .hold(upTo: settings.keyBody) }
        return ask(exchange, hasBody ? .unseen : .absent, method, rule)
    }

    func ask(
        _ exchange: borrowing Exchange, _ body: LookupBody, _ method: PlugboardKit.Method? = nil,
        _ rule: KeyRule? = nil
    ) -> RequestVerdict {
        let request = exchange.request
        guard let url = request.withURL({ lookupRules.url($0) }) else {
            report(.bypass, exchange.id)
            return .next
        }
        let lookup = lookupRules.lookup(
            method ?? request.method, url, request.fields,
            rule: rule ?? lookupRules.rule { exchange.attribute($0) }, body: body, route: exchange.route
        ) { exchange.attribute($0) }
        return lookUp(lookup, exchange, Waited())
    }

    /// Continues after a wait.
    func goOn(_ exchange: borrowing Exchange) -> RequestVerdict {
        guard let pause = exchange.state as? Pause else { return .next }
        let since = pause.waited.since
        switch pause.reason {
        case .entries(let found): return decide(pause.lookup, found.all ?? [], exchange, pause.waited)
        case .body(let reuse, let body, let prepared, let entries):
            if prepared.isIntact { return give(reuse, body, pause.lookup, exchange) }
            // Nothing of the body has been given, so the request continues as if the entry did not exist.
            body.release()
            return decide(pause.lookup, entries.filter { $0.id != reuse.entry.id }, exchange, pause.waited)
        case .flight(let flight):
            switch flight.ending {
            case .landed, .fruitless:
                return lookUp(pause.lookup, exchange, Waited(since: since, mayWait: false))
            // The leading request stored nothing. The first waiting request that continues leads now. If it runs on
            // another loop, its response may be stored already.
            case .failed: return lookUp(pause.lookup, exchange, Waited(since: since))
            case nil: return waitOn(flight, pause, exchange)
            }
        case .fleet(let seat): return goOn(seat, pause, exchange)
        case .load(let body, let entry, var entries):
            entries.removeAll { $0.id == entry.id }
            if let pieces = body.pieces {
                var entry = entry
                entry.pieces = pieces
                entries.append(entry)
            }
            return decide(pause.lookup, entries, exchange, pause.waited)
        }
    }

    /// Continues to wait for another request, unless that takes too long or its body has stopped growing.
    private func waitOn(_ flight: Flight, _ pause: Pause, _ exchange: borrowing Exchange) -> RequestVerdict {
        let received = flight.received
        let hasStalled = received != nil && received == pause.received
        pause.received = received
        if !hasStalled, mayWait(pause.waited), let verdict = wait(for: flight, exchange) { return verdict }
        return lookUp(pause.lookup, exchange, Waited(since: pause.waited.since, mayWait: false))
    }

    func lookUp(_ lookup: Lookup, _ exchange: borrowing Exchange, _ waited: Waited) -> RequestVerdict {
        guard lookup.facts.usesStore else { return decide(lookup, [], exchange, waited) }
        var waited = waited
        waited.landings = flights.landings
        if let entries = store.entriesAtHand(lookup.facts.key) {
            return decide(lookup, entries, exchange, waited)
        }
        let found = Pause.Found()
        let ticket = exchange.ticket(within: store.patience)
        exchange.state = Pause(lookup, .entries(found), waited)
        store.entries(lookup.facts.key) { entries in
            found.set(entries)
            ticket.wake()
        }
        return .wait(ticket)
    }

    func decide(
        _ lookup: Lookup, _ entries: [CacheEntry], _ exchange: borrowing Exchange, _ waited: Waited
    ) -> RequestVerdict {
        let now = host.wallClock
        switch policy.decision(for: lookup.facts, entries: entries, now: now) {
        case .reuse(let reuse):
            waited.seat?.end(.landed)
            let body = reuse.body.map { store.body(of: reuse.entry, $0) }
            guard let body, !body.isAtHand else { return give(reuse, body, lookup, exchange) }
            let prepared = Pause.Prepared()
            let ticket = exchange.ticket(within: store.patience)
            exchange.state = Pause(lookup, .body(reuse, body, prepared, entries), waited)
            body.prepare { isIntact in
                prepared.set(isIntact)
                ticket.wake()
            }
            return .wait(ticket)
        case .gatewayTimeout(let head, let status):
            waited.seat?.end(.failed)
            report(.miss, exchange.id)
            return .respond(labelled(head, status))
        case .forward(let forward):
            return load(forward, lookup, entries, exchange, waited)
                ?? send(lookup, forward, exchange, waited, now: now)
        }
    }

    private func give(
        _ reuse: Reuse, _ body: (any StoredSource)?, _ lookup: Lookup, _ exchange: borrowing Exchange
    ) -> RequestVerdict {
        report(Part(reuse.freshness), exchange.id)
        if let forward = reuse.revalidation { revalidate(lookup, forward, exchange.id, exchange.inheritance) }
        return .respond(head(of: reuse, reuse.status), body.map { $0.body })
    }

    /// Sends the request to the server, or waits for an identical request.
    private func send(
        _ lookup: Lookup, _ forward: Forward, _ exchange: borrowing Exchange, _ waited: Waited, now: Duration
    ) -> RequestVerdict {
        var flight: Flight?
        let ownFlight = exchange.attribute(CacheAttributes.keys.singleFlight.name).map { $0 == "true" }
        if let seat = waited.seat {
            flight = seat.take()
        } else if waited.mayWait, forward.mayBeShared, ownFlight ?? singleFlight {
            switch flights.board(FlightKey(lookup.facts, forward.entries)) {
            case .leads(let new):
                if mustLookAgain(lookup, forward, waited) {
                    flights.end(new, .failed)
                    return lookUp(lookup, exchange, Waited(since: waited.since, hasLookedAgain: true))
                }
                if let fleet, fleet.isUsable {
                    return board(FleetSeat(new, flights, since: host.now), of: fleet, lookup, exchange, waited)
                }
                flight = new
            case .follows(let other):
                let waiting = Waited(since: waited.since ?? host.now)
                if mayWait(waiting) {
                    guard let verdict = wait(for: other, exchange) else {
                        // The flight has ended since `board`, and may have stored the response.
                        if waited.hasLookedAgain { break }
                        return lookUp(lookup, exchange, Waited(since: waited.since, hasLookedAgain: true))
                    }
                    let pause = Pause(lookup, .flight(other), waiting)
                    pause.received = other.received
                    exchange.state = pause
                    return verdict
                }
            }
        }
        if !forward.edits.isEmpty { apply(forward.edits, to: exchange.request) }
        exchange.turnState = CacheTurn(
            forward.withoutBodies, requested: now, flight: flight, isCollapsed: waited.since != nil,
            kept: bodies(for: forward))
        return .next
    }

    /// Whether to look up again, because an identical request has ended since the look-up and may have stored or
    /// confirmed the response. A request looks up again once.
    private func mustLookAgain(_ lookup: Lookup, _ forward: Forward, _ waited: Waited) -> Bool {
        guard flights.landings != waited.landings, !waited.hasLookedAgain else { return false }
        return !forward.entries.isEmpty || store.entriesAtHand(lookup.facts.key)?.isEmpty != true
    }

    /// The stored bodies that the response may confirm or complete, or that are served if no response comes. They are
    /// kept open, because other responses may replace them in the store in the meantime.
    private func bodies(for forward: Forward) -> [Int64: any StoredSource] {
        var bodies: [Int64: any StoredSource] = [:]
        for entry in forward.needed
        where bodies[entry.id] == nil { bodies[entry.id] = store.body(of: entry, 0..<entry.length) }
        return bodies
    }

    private func mayWait(_ waited: Waited) -> Bool {
        waited.mayWait && host.now - (waited.since ?? host.now) < settings.singleFlightLimit
    }

    /// Nil if the flight has just ended.
    private func wait(for flight: Flight, _ exchange: borrowing Exchange) -> RequestVerdict? {
        let ticket = exchange.ticket(within: Cache.flightPeriod)
        return flight.add(ticket) ? .wait(ticket) : nil
    }
}

extension RequestFacts {
    /// Whether stored responses can matter to the request.
    var usesStore: Bool {
        switch kind {
        case .get, .head, .search: mode != .noStore && isVerified
        case .safe, .unsafe: false
        }
    }
}

extension FlightKey {
    init(_ facts: RequestFacts, _ entries: [CacheEntry]) {
        let names = entries.isEmpty ? [] : Set(entries.flatMap { $0.response.selecting.map(\.name) }).sorted()
        self.init(
            key: facts.key, version: facts.own.version,
            selecting: names.map { facts.fields.values(FieldName($0)).joinedIfAny })
    }
}
