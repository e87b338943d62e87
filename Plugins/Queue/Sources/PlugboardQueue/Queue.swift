import PlugboardJSON
import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite

/// Keeps requests that failed for want of a network, and sends them again.
///
///     onRequest   off ─▶ next · later ─▶ add to the file, fail(queued) · journal ─▶ add to the file, next
///     onFailure   no network ─▶ add to the file, fail(queued) · another failure ─▶ next
///     onClose     journal ─▶ remove from the file, because the caller has the outcome
///
/// `Replayer` sends what is in the file; `QueueFile` holds the transitions. A class, so that a call does not copy the
/// settings. Does not block the loop: the file has a thread of its own.
final class Queue: Plugin {
    static let manifest = Manifest(
        id: "queue", version: "1.0.0",
        documentation: "Keeps requests that failed without a network, and sends them later.",
        priority: 100, hooks: [.request, .failure, .close, .event], events: ["networkChanged", "closing"],
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
    private let failures: Set<String>

    init(settings: QueueSettings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        let path = try Queue.path(settings, host)
        do throws(SQLiteFailure) { try SQLiteStore.check(path.starting, schema: QueueSchema.schema) } catch {
            throw PlugboardError(.configuration, "The queue cannot use its file. \(error.message)")
        }
        if let probe = settings.probe, Origin(url: probe) == nil {
            throw PlugboardError(.configuration, "probe of queue must be an absolute http or https URL.")
        }
        store = QueueStore(path.current, limits: QueueFile.Limits(settings), host: host)
        news = QueueNews(host)
        replayer = Replayer(settings, store: store, host: host, news: news)
        tickets = TicketMaker(host)
        methods = Set(settings.methods.map { PlugboardKit.Method($0) })
        failures = Set(settings.failures)
    }

    /// The file now, and when the plugin is started.
    private static func path(
        _ settings: QueueSettings, _ host: PluginHost
    ) throws(PlugboardError) -> (current: String, starting: String) {
        let name = settings.path.flatMap { $0.isEmpty ? nil : $0 } ?? "queue.sqlite"
        if name.hasPrefix("/") { return (name, name) }
        guard let folder = host.dataDirectory, let starting = host.dataPath else {
            throw PlugboardError(
                .configuration, "There is no data directory for the file of queue. Set path to an absolute path.")
        }
        return ("\(folder)/\(name)", "\(starting)/\(name)")
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

    // MARK: Inward

    func onRequest(_ exchange: borrowing PlugboardKit.Exchange) throws -> RequestVerdict {
        if exchange.visit == .first { return begin(exchange) }
        guard let passage = exchange.state as? Passage else { return .next }
        switch passage.step {
        case .passing: return .next
        case .looking: return looked(exchange, passage)
        case .waitingForLine: return goOn(exchange, passage)
        case .adding: return added(exchange, passage)
        }
    }

    private func begin(_ exchange: borrowing PlugboardKit.Exchange) -> RequestVerdict {
        let mode = mode(of: exchange)
        guard let line = line(of: exchange) else { return pass(exchange, mode) }
        // It has to be in the file soon, and behind those that have come before it.
        if mode == .later { return replayer.isEntered(line) ? enter(exchange, line, mode) : keep(exchange, mode) }
        switch replayer.isBusy(line) {
        case .some(true): return enter(exchange, line, mode)
        case .some(false): return pass(exchange, mode)
        case .none:
            let passage = Passage()
            passage.step = .looking
            exchange.state = passage
            let ticket = exchange.ticket(within: settings.categoryWait)
            replayer.look(line, ticket, passage)
            return .wait(ticket)
        }
    }

    /// The file was asked for the line.
    private func looked(_ exchange: borrowing PlugboardKit.Exchange, _ passage: Passage) -> RequestVerdict {
        passage.step = .passing
        let mode = mode(of: exchange)
        if let line = line(of: exchange), passage.isLineBusy || replayer.isEntered(line) {
            return enter(exchange, line, mode)
        }
        return pass(exchange, mode)
    }

    /// Others of the line are to be sent first.
    private func enter(
        _ exchange: borrowing PlugboardKit.Exchange, _ line: String, _ mode: QueueMode
    ) -> RequestVerdict {
        let ticket = exchange.ticket(within: settings.categoryWait)
        let origin = NewEntry.origin(of: exchange.request.url)
        switch replayer.enter(line, origin, ticket, isLater: mode == .later) {
        case .free: return pass(exchange, mode)
        // It would overtake those that wait.
        case .cannotWait: return mode == .off ? .next : keep(exchange, .later)
        case .waits(let turn):
            let passage = exchange.state as? Passage ?? Passage()
            passage.turn = turn
            passage.step = .waitingForLine
            exchange.state = passage
            return .wait(ticket)
        }
    }

    /// The wait for the line is over: it is empty, or it takes too long, or the network is gone.
    private func goOn(_ exchange: borrowing PlugboardKit.Exchange, _ passage: Passage) -> RequestVerdict {
        passage.step = .passing
        let mode = mode(of: exchange)
        if passage.turn?.begin() == true { return pass(exchange, mode) }
        // It would overtake those that still wait. One that is not kept holds up no other.
        guard mode == .off else { return keep(exchange, .later) }
        passage.turn = nil
        return .next
    }

    private func pass(_ exchange: borrowing PlugboardKit.Exchange, _ mode: QueueMode) -> RequestVerdict {
        mode == .off ? .next : keep(exchange, mode)
    }

    private func mode(of exchange: borrowing PlugboardKit.Exchange) -> QueueMode {
        if let mode = exchange[Queue.keys.mode] {
            // An origin's section is not meant for sub-requests, such as that for a token.
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

    private func keep(_ exchange: borrowing PlugboardKit.Exchange, _ mode: QueueMode) -> RequestVerdict {
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
        guard tap != nil || mode != .onFailure else { return .next }
        let passage = exchange.state as? Passage ?? Passage()
        passage.tap = tap
        exchange.state = passage
        guard mode != .onFailure else { return .next }
        var entry = entry(exchange)
        entry.isJournal = mode == .journal
        return .wait(add(entry, exchange, passage))
    }

    private func added(_ exchange: borrowing PlugboardKit.Exchange, _ passage: Passage) -> RequestVerdict {
        passage.step = .passing
        guard let entry = passage.entry, let result = passage.result else { return .next }
        guard entry.isJournal else {
            switch verdict(entry, result) {
            case .success(let error), .failure(let error): return .fail(error)
            }
        }
        switch result {
        case .success(.queued): break
        case .success(.known): return .fail(known(entry))
        case .success: news.refused(full, exchange: exchange.id)
        case .failure(let error): news.refused(error, exchange: exchange.id)
        }
        // The body was read to its end.
        guard let tap = passage.tap, !tap.inner.rewind() else { return .next }
        guard passage.isJournaled else {
            if case .failure(let error) = result { return .fail(error) }
            return .fail(full)
        }
        exchange.replaceRequestBody(Body(StoredBodySource(store, entry.id, length: entry.length)))
        return .next
    }

    // MARK: Outward

    func onFailure(_ exchange: borrowing PlugboardKit.Exchange) throws -> FailureVerdict {
        let passage = exchange.state as? Passage
        if exchange.visit != .first, let passage, passage.step == .adding { return kept(exchange, passage) }
        guard let failure = exchange.failure, failures.contains(failure.code.name), mode(of: exchange) != .off else {
            return .next
        }
        replayer.offline(NewEntry.origin(of: exchange.request.url))
        let known = passage ?? Passage()
        if passage == nil { exchange.state = known }
        if let entry = known.entry, known.takeJournaled() != nil {
            let ticket = exchange.ticket()
            known.step = .adding
            giveBack(entry, failure) {
                known.result = .success(.queued)
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
        return .wait(add(entry, exchange, known))
    }

    private func kept(_ exchange: borrowing PlugboardKit.Exchange, _ passage: Passage) -> FailureVerdict {
        passage.step = .passing
        guard let entry = passage.entry, let result = passage.result else { return .next }
        switch verdict(entry, result) {
        case .success(let error): return .fail(error)
        case .failure(let error):
            // The caller gets the failure of the request itself.
            news.refused(error, exchange: exchange.id)
            return .next
        }
    }

    func onClose(_ exchange: borrowing PlugboardKit.Exchange, _ outcome: TurnOutcome) {
        guard let passage = exchange.state as? Passage else { return }
        defer { passage.turn = nil }
        guard let entry = passage.entry, let remove = passage.takeJournaled() else { return }
        if let failure = exchange.failure, failure.code == .shutDown { return giveBack(entry, failure) {} }
        remove()
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(queue_LTX_plugboard_plugin)
public func queuePlugin() -> UnsafePointer<plug_plugin_v1> { Queue.descriptor }
