import PlugboardKit

/// Carries a decision out: changes the store, and passes the response on.
extension Cache {
    /// Makes the changes to the store that do not depend on the response's body.
    func change(_ decision: ResponseDecision) {
        for (entry, response) in decision.updates { store.update(entry, response) }
        if !decision.removes.isEmpty { store.remove(decision.removes) }
        for url in decision.invalidates { store.invalidate(url: url) }
        if let url = decision.purges { store.purge(.url(url)) { _ in } }
    }

    /// Passes the response on, and records its body if it is to be stored.
    func pass(
        _ exchange: borrowing Exchange, _ response: borrowing Head, _ turn: CacheTurn, _ decision: ResponseDecision
    ) -> ResponseVerdict {
        record(decision, exchange, turn)
        return forwarded(exchange, response, turn, decision)
    }

    /// Joins the stored part and the received one to one body, which is recorded as a whole (RFC 9111 §3.4).
    func complete(
        _ exchange: borrowing Exchange, _ response: borrowing Head, _ turn: CacheTurn, _ decision: ResponseDecision,
        _ completion: ResponseDecision.Completion
    ) -> ResponseVerdict {
        let stored = body(of: completion.entry, 0..<completion.entry.length, turn)
        exchange.wrapResponseBody { received in
            let parts = [Body(stored), Body(MeasuredSource(received, length: completion.receivedLength))]
            return Body.joined(completion.storedFirst ? parts : parts.reversed()).source
        }
        record(decision, exchange, turn)
        response.status = completion.head.status
        for name in Set(response.fields.map { FieldName($0.name) }) { response[name] = nil }
        for field in completion.head.fields { response.append(FieldName(field.name), field.value) }
        return forwarded(exchange, response, turn, decision)
    }

    /// Wraps the response's body, so that it is stored when it ends completely.
    private func record(_ decision: ResponseDecision, _ exchange: borrowing Exchange, _ turn: CacheTurn) {
        guard let recording = decision.store.flatMap({ recording(of: $0) }) else { return }
        turn.recording = recording
        recording.flight = turn.flight
        recording.flights = flights
        // A body that has arrived already is recorded at once, unless the store is behind. As any other body, `onClose`
        // commits it if the turn ended completely.
        if recording.hasRoom, exchange.withWholeResponseBody({ recording.take($0) }) != nil { return recording.end() }
        var hasBody = false
        exchange.wrapResponseBody { [host] body in
            hasBody = true
            return TeeSource(body, into: recording, host: host)
        }
        if !hasBody { recording.end() }
    }

    /// Nil if the body is too long to be stored.
    func recording(of storing: ResponseDecision.Storing) -> Recording? {
        let limit = largestBody
        if let lengths = storing.lengths, lengths.lowerBound > limit { return nil }
        let length = storing.lengths.flatMap { $0.lowerBound == $0.upperBound ? $0.lowerBound : nil }
        return store.write(length: length).map { Recording($0, of: storing, limit: limit) }
    }

    /// Stores a body that was read to its end, and reports it; returns whether it was stored.
    func commit(_ recording: Recording, of exchange: UInt64?) -> Bool {
        let isStored = recording.commit { [self] _ in
            let count = tally.evicted(store.evictions)
            if count > 0 { host.publish("cache.evicted", details: Fields(["count": "\(count)"])) }
        }
        if isStored { report(.stored, exchange) }
        return isStored
    }

    private func forwarded(
        _ exchange: borrowing Exchange, _ response: borrowing Head, _ turn: CacheTurn, _ decision: ResponseDecision
    ) -> ResponseVerdict {
        let isStored = turn.recording != nil
        if let flight = turn.flight, !isStored { flights.end(flight, .fruitless) }
        turn.flight?.receive(0)
        report(turn.forward.reason.isBypass ? .bypass : .miss, exchange.id)
        if cacheStatus {
            var status = decision.status
            status.isStored = isStored
            response.append(.cacheStatus, status.description)
        }
        return .next
    }

    func respond<Phase>(_ reuse: Reuse, _ status: CacheStatus, _ turn: CacheTurn) -> Verdict<Phase> {
        .respond(head(of: reuse, status), reuse.body.map { body(of: reuse.entry, $0, turn).body })
    }

    /// A stored body, or a part of it. Uses the pieces held since the request: the store may have removed them.
    private func body(of entry: CacheEntry, _ part: Range<Int>, _ turn: CacheTurn) -> any StoredSource {
        (turn.kept[entry.id] as? PiecesSource)?.part(part) ?? store.body(of: entry, part)
    }

    /// The head that the caller gets.
    func head(of reuse: Reuse, _ status: CacheStatus) -> ResponseHead {
        guard case .stored(let age) = reuse.form else { return labelled(reuse.head, status) }
        return reuse.entry.served(age: age, status) { labelled(reuse.head, status) }
    }

    /// Adds `Cache-Status` (RFC 9211) to a head.
    func labelled(_ head: ResponseHead, _ status: CacheStatus) -> ResponseHead {
        guard cacheStatus else { return head }
        var head = head
        head.fields.append(.cacheStatus, status.description)
        return head
    }

    func apply(_ edits: Forward.Edits, to request: borrowing Head) {
        for name in edits.removed { request[name] = nil }
        for name in Set(edits.set.map { FieldName($0.name) }) { request[name] = nil }
        for field in edits.set { request.append(FieldName(field.name), field.value) }
    }
}

extension FieldName {
    static let cacheStatus: FieldName = "Cache-Status"
}

extension CacheStatus.ForwardReason {
    /// Whether the cache does not handle the request, in contrast to a miss.
    var isBypass: Bool { self == .bypass || self == .method }
}

extension PlugboardError.Code {
    /// Whether the failure is one of the network or the server, and not a decision of the caller or of TLS
    /// verification.
    var isUnreachable: Bool {
        switch self {
        case .transportDNS, .transportConnect, .transportProxy, .transportReset, .transportProtocol, .timeoutConnect,
            .timeoutIdle, .timeoutAttempt:
            true
        // The plugin retry refused to send, because the server has failed too often.
        case "retry.circuitOpen": true
        default: false
        }
    }
}
