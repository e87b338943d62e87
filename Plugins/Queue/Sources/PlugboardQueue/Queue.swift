import PlugboardJSON
import PlugboardKit
import PlugboardQueueOptions

/// Keeps requests that failed without a network, and sends them later.
///
///     onRequest   wait for others of its category
///                 off ─▶ next · later ─▶ add to the file, fail(queued) · journal ─▶ add to the file, next
///     onResponse  journal ─▶ remove from the file, because the caller has the outcome
///     onFailure   no network ─▶ add to the file, fail(queued) · another failure ─▶ next
///     onClose     journal ─▶ remove from the file, because there is an outcome, or wait in it at a shutdown
///
/// `Replayer` sends what is in the file; `QueueFile` holds the transitions. A class, so that a call does not copy the
/// settings. Does not block the loop: the file has a thread of its own.
final class Queue: Plugin {
    static let manifest = Manifest(
        id: "queue", version: "1.0.0",
        documentation: "Keeps requests that failed without a network, and sends them later.",
        priority: 100, hooks: [.request, .response, .failure, .close, .event], events: ["networkChanged", "closing"],
        attributes: QueueAttributes.definitions, commands: QueueCommand.definitions)

    typealias Settings = QueueSettings

    static let keys = QueueAttributes.keys
    static let idempotencyKey: FieldName = "Idempotency-Key"

    let settings: QueueSettings
    let host: PluginHost
    let store: QueueStore
    let replayer: Replayer
    let news: QueueNews
    let tickets: TicketMaker
    private let methods: Set<PlugboardKit.Method>
    private let failures: Set<PlugboardError.Code>

    init(settings: QueueSettings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        let changes = QueueChanges()
        let engine = try Queue.engine(settings, host, changes)
        if let probe = settings.probe, Origin(url: probe) == nil {
            throw PlugboardError(.configuration, "probe of queue must be an absolute http or https URL.")
        }
        store = QueueStore(engine, lease: settings.lease, host: host)
        news = QueueNews(host)
        replayer = Replayer(settings, store: store, host: host, news: news)
        tickets = TicketMaker(host)
        changes.replayer = replayer
        methods = settings.methods
        failures = settings.failures
    }

    func start() throws { replayer.start() }

    func stop(within limit: Duration) {
        replayer.stop()
        news.endWatching()
        store.close(within: limit)
    }

    func onEvent(_ event: borrowing Event, _ exchange: borrowing PlugboardKit.Exchange?) {
        if event.id == "closing" { return replayer.close() }
        replayer.networkChanged(isReachable: event.integer("reachable") == 1)
    }

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        QueueCommand(queue: self).run(name, arguments, reply)
    }

    // MARK: Before the request is sent

    func onRequest(_ exchange: borrowing PlugboardKit.Exchange) throws -> RequestVerdict {
        if exchange.visit == .first { return begin(exchange) }
        guard let passage = exchange.state as? Passage else { return .next }
        switch passage.step {
        case .passing: return .next
        case .waiting: return goOn(exchange, passage)
        case .adding: return added(exchange, passage)
        }
    }

    private func begin(_ exchange: borrowing PlugboardKit.Exchange) -> RequestVerdict {
        let mode = mode(of: exchange)
        guard let line = line(of: exchange) else { return mode == .off ? .next : keep(exchange, mode) }
        let kind: Lines<Ticket>.Kind = mode == .off ? .unkept : mode == .later ? .later : .kept
        let origin = NewEntry.origin(of: exchange.request.url)
        switch replayer.enter(line, kind, origin) {
        case .pass(nil): return .next
        case .pass(let turn): return keep(exchange, mode, turn)
        case .queue(let turn): return keep(exchange, .later, turn)
        case .wait:
            let passage = Passage()
            let ticket = exchange.ticket(within: settings.categoryWait)
            passage.turn = replayer.wait(line, kind, origin, ticket)
            passage.step = .waiting
            exchange.state = passage
            return .wait(ticket)
        }
    }

    /// Called when the turn of the exchange has come, or when its time to wait is over.
    private func goOn(_ exchange: borrowing PlugboardKit.Exchange, _ passage: Passage) -> RequestVerdict {
        guard let turn = passage.turn else { return .next }
        switch turn.step() {
        case .wait:
            // Earlier exchanges are being put into the file.
            let ticket = exchange.ticket()
            turn.wait(ticket)
            return .wait(ticket)
        case .pass(nil):
            (passage.turn, passage.step) = (nil, .passing)
            return .next
        case .pass: return keep(exchange, mode(of: exchange), turn)
        case .queue: return keep(exchange, .later, turn)
        }
    }

    private func mode(of exchange: borrowing PlugboardKit.Exchange) -> QueueMode {
        if let mode = exchange[Queue.keys.mode] {
            // The section of an origin does not apply to sub-requests, such as a request for a token.
            let isMeant =
                exchange.sender == nil
                || exchange.ownAttributes(includesSecrets: true)[Queue.keys.mode.name] != nil
            return isMeant ? mode : .off
        }
        // Other plugins need their sub-requests' own outcomes.
        guard settings.mode != .off, methods.contains(exchange.request.method), exchange.sender == nil else {
            return .off
        }
        return settings.mode
    }

    private func line(of exchange: borrowing PlugboardKit.Exchange) -> String? {
        NewEntry.line(exchange[Queue.keys.category], exchange[Queue.keys.collapseKey])
    }

    private func keep(
        _ exchange: borrowing PlugboardKit.Exchange, _ mode: QueueMode, _ turn: LineTurn? = nil
    ) -> RequestVerdict {
        let request = exchange.request
        if settings.idempotencyKey, !request.method.isSafe, !request.contains(Queue.idempotencyKey) {
            request[Queue.idempotencyKey] = "\"\(tickets.make())\""
        }
        var tap: BodyTap?
        exchange.wrapRequestBody { inner in
            let made = BodyTap(inner)
            tap = made
            return made
        }
        guard tap != nil || turn != nil || mode != .onFailure else { return .next }
        let passage = exchange.state as? Passage ?? Passage()
        (passage.tap, passage.turn, passage.step) = (tap, turn, .passing)
        exchange.state = passage
        guard mode != .onFailure else { return .next }
        var entry = entry(exchange)
        entry.isJournal = mode == .journal
        entry.since = host.wallClock.nanoseconds
        return .wait(add(entry, exchange, passage))
    }

    private func added(_ exchange: borrowing PlugboardKit.Exchange, _ passage: Passage) -> RequestVerdict {
        passage.step = .passing
        guard let entry = passage.entry, let result = passage.result else { return .next }
        guard entry.isJournal else {
            switch verdict(entry, result) {
            case .success(let error): return .fail(error)
            case .failure(let error):
                news.refused(error, entry, exchange: exchange.id)
                // Only `later` needs the file. From such a file, no request of its line can be sent before it.
                guard error.code == .queueFile, mode(of: exchange) != .later else { return .fail(error) }
                return send(exchange, passage, entry, error)
            }
        }
        switch result {
        case .success(.queued): break
        case .success(.behind), .success(.cancelled): return .fail(queued(entry))
        case .success(.known): return .fail(known(entry))
        case .success: news.refused(full, entry, exchange: exchange.id)
        case .failure(let error): news.refused(error, entry, exchange: exchange.id)
        }
        guard case .failure(let error) = result else { return send(exchange, passage, entry, full) }
        return send(exchange, passage, entry, error)
    }

    /// Lets the exchange send the request with its body, which was read for the file. Fails with `error` if no copy of
    /// the body is left.
    private func send(
        _ exchange: borrowing PlugboardKit.Exchange, _ passage: Passage, _ entry: NewEntry, _ error: PlugboardError
    ) -> RequestVerdict {
        guard let tap = passage.tap, !tap.inner.rewind() else { return .next }
        if passage.isJournaled {
            exchange.replaceRequestBody(Body(StoredBodySource(store, entry.id, length: entry.length)))
        } else if entry.begun == nil, entry.length == entry.rest.count {
            exchange.replaceRequestBody(.bytes(entry.rest))
        } else {
            return .fail(error)
        }
        return .next
    }

    // MARK: After the response or the failure

    /// Removes the request from the file, because the caller has the outcome, whether it reads the body or not.
    func onResponse(_ exchange: borrowing PlugboardKit.Exchange) throws -> ResponseVerdict {
        guard let passage = exchange.state as? Passage else { return .next }
        passage.takeJournaled()?()
        passage.turn = nil
        return .next
    }

    func onFailure(_ exchange: borrowing PlugboardKit.Exchange) throws -> FailureVerdict {
        let passage = exchange.state as? Passage
        if exchange.visit != .first, let passage, passage.step == .adding { return kept(exchange, passage) }
        guard let failure = exchange.failure, failures.contains(failure.code), mode(of: exchange) != .off else {
            return .next
        }
        replayer.offline(NewEntry.origin(of: exchange.request.url))
        let known = passage ?? Passage()
        if passage == nil { exchange.state = known }
        if var entry = known.entry, known.takeJournaled() != nil {
            let ticket = exchange.ticket()
            (entry.isJournal, entry.code) = (false, failure.code.name)
            (known.step, known.entry, known.result) = (.adding, entry, nil)
            giveBack(entry, failure) { isThere in
                known.result = isThere ? .success(.queued) : nil
                ticket.wake()
            }
            return .wait(ticket)
        }
        if let tap = known.tap, !tap.restart() {
            news.refused(
                PlugboardError(
                    .bodyRewind,
                    "A request is not queued, because its body is a stream that has begun. Use the mode journal."),
                exchange: exchange.id)
            return .next
        }
        var entry = entry(exchange)
        entry.code = failure.code.name
        // An earlier attempt may have reached the server.
        entry.isTouched = ReplayPolicy.mayHaveArrived(.failure(failure.code)) || exchange.attempt > 1
        // Other requests of its line have come while it was being sent.
        entry.isFirst = known.turn != nil
        return .wait(add(entry, exchange, known))
    }

    private func kept(_ exchange: borrowing PlugboardKit.Exchange, _ passage: Passage) -> FailureVerdict {
        passage.step = .passing
        guard let entry = passage.entry, let result = passage.result else { return .next }
        switch verdict(entry, result) {
        case .success(let error): return .fail(error)
        case .failure(let error):
            // The caller gets the failure of the request itself.
            news.refused(error, entry, exchange: exchange.id)
            return .next
        }
    }

    func onClose(_ exchange: borrowing PlugboardKit.Exchange, _ outcome: TurnOutcome) {
        guard let passage = exchange.state as? Passage else { return }
        defer { passage.turn = nil }
        guard var entry = passage.entry, let remove = passage.takeJournaled() else { return }
        guard let failure = exchange.failure, failure.code == .shutDown else { return remove() }
        (entry.isJournal, entry.code) = (false, failure.code.name)
        giveBack(entry, failure) { _ in }
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(queue_LTX_plugboard_plugin)
public func queuePlugin() -> UnsafePointer<plug_plugin_v1> { Queue.descriptor }
