import CacheOptions
import PlugboardKit

/// From a request to what becomes of it.
extension Cache {
    /// A store that says nothing for so long has nothing.
    private static let storePatience: Duration = .seconds(5)
    /// How often one who waits looks whether the other's body still moves.
    private static let flightPeriod: Duration = .milliseconds(500)

    /// The first visit: holds the body where it is a part of the key.
    func begin(_ exchange: borrowing Exchange) -> RequestVerdict {
        let rule = questions.rule { exchange.attribute($0) }
        // Of other requests it does not matter whether they have a body.
        guard rule.usesBody || exchange.request.method.isSafe else { return ask(exchange, .unseen, rule) }
        var hasBody = false
        exchange.wrapRequestBody { body in
            hasBody = true
            return body
        }
        if hasBody && rule.usesBody { return .hold(upTo: settings.keyBody) }
        return ask(exchange, hasBody ? .unseen : .absent, rule)
    }

    func ask(_ exchange: borrowing Exchange, _ body: QuestionBody, _ rule: KeyRule? = nil) -> RequestVerdict {
        let request = exchange.request
        let question = questions.question(
            request.method, request.url, request.fields, rule: rule ?? questions.rule { exchange.attribute($0) },
            body: body
        ) { exchange.attribute($0) }
        guard let question else {
            tell(.bypass, exchange.id)
            return .next
        }
        return lookUp(question, exchange, Waited())
    }

    /// A visit after a wait.
    func goOn(_ exchange: borrowing Exchange) -> RequestVerdict {
        guard let pause = exchange.state as? Pause else { return .next }
        let since = pause.waited.since
        switch pause.reason {
        case .entries(let found): return decide(pause.question, found.all ?? [], exchange, pause.waited)
        case .body(let reuse, let body, let prepared, let entries):
            if prepared.isIntact { return give(reuse, body, pause.question, exchange) }
            // Nothing has been given yet, so the request goes on as if the entry had never been there.
            body.release()
            return decide(pause.question, entries.filter { $0.id != reuse.entry.id }, exchange, pause.waited)
        case .flight(let flight, let forward):
            switch flight.ending {
            case .landed, .fruitless:
                return lookUp(pause.question, exchange, Waited(since: since, mayWait: false))
            // It stored nothing. Who comes first leads, and the others follow again.
            case .failed: return send(pause.question, forward, exchange, Waited(since: since))
            case nil: return waitOn(flight, pause, exchange)
            }
        }
    }

    /// The other still flies: waits on, unless it takes too long or its body stands still, as one does that nobody reads.
    private func waitOn(_ flight: Flight, _ pause: Pause, _ exchange: borrowing Exchange) -> RequestVerdict {
        let received = flight.received
        let stands = received != nil && received == pause.received
        pause.received = received
        if !stands, mayWait(pause.waited), let verdict = wait(for: flight, exchange) { return verdict }
        return lookUp(pause.question, exchange, Waited(since: pause.waited.since, mayWait: false))
    }

    private func lookUp(_ question: Question, _ exchange: borrowing Exchange, _ waited: Waited) -> RequestVerdict {
        guard question.facts.asksStore else { return decide(question, [], exchange, waited) }
        if let entries = store.entriesAtHand(question.facts.key) {
            return decide(question, entries, exchange, waited)
        }
        let found = Pause.Found()
        let ticket = exchange.ticket(within: Cache.storePatience)
        exchange.state = Pause(question, .entries(found), waited)
        store.entries(question.facts.key) { entries in
            found.set(entries)
            ticket.wake()
        }
        return .wait(ticket)
    }

    private func decide(
        _ question: Question, _ entries: [CacheEntry], _ exchange: borrowing Exchange, _ waited: Waited
    ) -> RequestVerdict {
        switch policy.decision(for: question.facts, entries: entries, now: host.wallClock) {
        case .reuse(let reuse):
            let body = reuse.body.map { store.body(of: reuse.entry, $0) }
            guard let body, !body.isAtHand else { return give(reuse, body, question, exchange) }
            let prepared = Pause.Prepared()
            let ticket = exchange.ticket(within: Cache.storePatience)
            exchange.state = Pause(question, .body(reuse, body, prepared, entries), waited)
            body.prepare { isIntact in
                prepared.set(isIntact)
                ticket.wake()
            }
            return .wait(ticket)
        case .gatewayTimeout(let head, let status):
            tell(.miss, exchange.id)
            return .respond(labelled(head, status))
        case .forward(let forward):
            return send(question, forward, exchange, waited)
        }
    }

    private func give(
        _ reuse: Reuse, _ body: (any StoredSource)?, _ question: Question, _ exchange: borrowing Exchange
    ) -> RequestVerdict {
        tell(Part(reuse.freshness), exchange.id)
        if let forward = reuse.revalidation { revalidate(question, forward, exchange.id) }
        return .respond(labelled(reuse.head, reuse.status), body.map { Body($0) })
    }

    /// The request goes on, or waits for one that asks the same.
    private func send(
        _ question: Question, _ forward: Forward, _ exchange: borrowing Exchange, _ waited: Waited
    ) -> RequestVerdict {
        var flight: Flight?
        if waited.mayWait, forward.mayBeShared, exchange[CacheAttributes.singleFlight] ?? settings.singleFlight {
            switch flights.board(FlightKey(question.facts, forward.entries)) {
            case .leads(let new): flight = new
            case .follows(let other):
                let waiting = Waited(since: waited.since ?? host.now)
                if mayWait(waiting), let verdict = wait(for: other, exchange) {
                    let pause = Pause(question, .flight(other, forward), waiting)
                    pause.received = other.received
                    exchange.state = pause
                    return verdict
                }
            }
        }
        apply(forward.edits, to: exchange.request)
        exchange.turnState = CacheTurn(
            question, forward, requested: host.wallClock, flight: flight, isCollapsed: waited.since != nil,
            kept: bodies(for: forward))
        return .next
    }

    /// The stored bodies that the answer may confirm or complete, or that are served if there is none. Other answers may take
    /// their room in the store meanwhile.
    private func bodies(for forward: Forward) -> [Int64: any StoredSource] {
        var bodies: [Int64: any StoredSource] = [:]
        for entry in forward.validated + [forward.completed, forward.selected].compactMap({ $0 })
        where bodies[entry.id] == nil { bodies[entry.id] = store.body(of: entry, 0..<entry.length) }
        return bodies
    }

    private func mayWait(_ waited: Waited) -> Bool {
        waited.mayWait && host.now - (waited.since ?? host.now) < settings.singleFlightLimit
    }

    /// Nil if it has just ended.
    private func wait(for flight: Flight, _ exchange: borrowing Exchange) -> RequestVerdict? {
        let ticket = exchange.ticket(within: Cache.flightPeriod)
        return flight.add(ticket) ? .wait(ticket) : nil
    }
}

extension RequestFacts {
    /// Whether what is stored can matter to it.
    var asksStore: Bool {
        switch kind {
        case .get, .head, .search: mode != .noStore
        case .safe, .unsafe: false
        }
    }
}

extension FlightKey {
    init(_ facts: RequestFacts, _ entries: [CacheEntry]) {
        let names = Set(entries.flatMap { $0.answer.selecting.map(\.name) }).sorted()
        self.init(
            key: facts.key, version: facts.own.version,
            selecting: names.map { facts.fields.values(FieldName($0)).joinedIfAny })
    }
}
