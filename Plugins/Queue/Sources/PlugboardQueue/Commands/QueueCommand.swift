import PlugboardJSON
import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite

/// The commands of the queue. Called off the loop.
struct QueueCommand {
    private static let selecting = #""id": "a ticket", "tag": "a tag", "category": "a category""#

    static let definitions = [
        CommandDefinition(
            "list", "Lists requests without their fields and bodies.",
            arguments:
                "{\(selecting), \"state\": \"waiting, sending, done or dead\", \"limit\": \"the most; 100 without it\"}",
            isQuiet: true),
        CommandDefinition(
            "show", "Shows a request with its fields and its outcome; secret values are redacted.",
            arguments: #"{"id": "the ticket"}"#, isQuiet: true),
        CommandDefinition(
            "replay",
            "Sends requests now, including dead ones named by their ticket, and replies when nothing more can be sent.",
            arguments: "{\(selecting)}", isQuiet: true),
        CommandDefinition(
            "drop", "Removes requests, and cancels those that this process sends.",
            arguments: "{\(selecting), \"state\": \"waiting, sending, done or dead\", \"all\": \"true for all\"}",
            isQuiet: true),
        CommandDefinition(
            "dead", "Lists the requests that are not sent any more.",
            arguments: "{\(selecting), \"limit\": \"the most; 100 without it\"}", isQuiet: true),
        CommandDefinition("watch", "Replies with a line of JSON for each event, until it is cancelled."),
        CommandDefinition(
            "outcome", "Waits for the outcome of a request, and replies with it.",
            arguments: #"{"id": "the ticket", "wait": "the longest wait, such as 30s; no limit without it"}"#),
        CommandDefinition(
            "outcomes", "Lists the outcomes that were not acknowledged.",
            arguments: "{\(selecting), \"limit\": \"the most; 100 without it\"}", isQuiet: true),
        CommandDefinition(
            "acknowledge", "Forgets outcomes that were delivered.",
            arguments: #"{"id": "a ticket", "ids": ["the tickets"]}"#, isQuiet: true),
        CommandDefinition("stats", "Shows the numbers of requests by state, and their bytes.", isQuiet: true),
        CommandDefinition(
            "migrate", "Makes the tables of the queue in PostgreSQL, or brings them up to this version.", isQuiet: true),
        CommandDefinition("check", "Asks the database whether the queue can be kept there.", isQuiet: true),
        CommandDefinition("forget", "Removes all requests.", isQuiet: true),
    ]

    let queue: Queue

    func run(_ name: String, _ values: JSONValue, _ reply: Reply) {
        do throws(PlugboardError) {
            guard let definition = QueueCommand.definitions.first(where: { $0.name == name }) else {
                throw PlugboardError(.commandUnknown, "The plugin queue has no command \(name).")
            }
            let arguments = try CommandArguments(values, of: definition, code: .queueArgument)
            switch name {
            case "list": list(try selection(arguments), try limit(arguments), reply)
            case "show": show(try arguments.required("id"), reply)
            case "replay": replay(try selection(arguments), reply)
            case "drop": drop(try droppable(arguments), reply)
            case "dead":
                var selection = try selection(arguments)
                selection.states = [.dead]
                list(selection, try limit(arguments), reply)
            case "watch": reply.body(Body(queue.news.watch()))
            case "outcome": try outcome(arguments, reply)
            case "outcomes":
                var selection = try selection(arguments)
                selection.states = [.done, .dead]
                list(selection, try limit(arguments), isUnacknowledged: true, reply)
            case "acknowledge": acknowledge(try ids(arguments, values), reply)
            case "stats":
                answer(reply) { (session, _, _) throws(SQLiteFailure) in
                    .object(try session.statistics())
                }
            case "migrate":
                queue.store.migrate { result in
                    switch result {
                    case .success(let text): reply.json(["migrated": .string(text)])
                    case .failure(let failure): reply.fail(QueueStore.error(failure))
                    }
                }
            case "check": check(reply)
            default: drop(Selection(), reply)
            }
        } catch {
            reply.fail(error)
        }
    }

    /// Replies as `plugboard config check --connect` reads it.
    private func check(_ reply: Reply) {
        // A file is checked when the plugin is made.
        guard let store = queue.settings.store, !store.isEmpty else {
            reply.json(["engine": "its file"])
            return
        }
        queue.store.perform { (session, now, time) throws(SQLiteFailure) in
            // Needs all rights that sending needs.
            let sequence = try session.begin("check", holding: nil, now: now, time: time)
            _ = try session.append([0], 0, to: sequence)
            try session.discard(sequence)
        } then: { result in
            var problems: [JSONValue] = []
            if case .failure(let failure) = result { problems = [.string(QueueStore.error(failure).reason)] }
            reply.json(["engine": "PostgreSQL", "problems": .array(problems)])
        }
    }

    // MARK: Arguments

    private func selection(_ arguments: CommandArguments) throws(PlugboardError) -> Selection {
        var selection = Selection(
            id: try arguments["id"], tag: try arguments["tag"], category: try arguments["category"])
        if let state = try arguments["state"] {
            selection.states = EntryState.named(state)
            guard !selection.states.isEmpty, state != "writing" else {
                throw arguments.wrong("state", "waiting, sending, done or dead")
            }
        }
        return selection
    }

    /// Refuses to drop everything unless `all` is true.
    private func droppable(_ arguments: CommandArguments) throws(PlugboardError) -> Selection {
        let (selection, all) = (try selection(arguments), try arguments["all"])
        guard !selection.isAll || all == "true" else {
            throw PlugboardError(.queueArgument, "drop needs id, tag, category or state, or all=true.")
        }
        return selection
    }

    private func limit(_ arguments: CommandArguments) throws(PlugboardError) -> Int {
        guard let text = try arguments["limit"] else { return 100 }
        guard let limit = Int(text), limit >= 0 else { throw arguments.wrong("limit", "a number") }
        return limit
    }

    private func ids(_ arguments: CommandArguments, _ values: JSONValue) throws(PlugboardError) -> [String] {
        if let id = try arguments["id"] { return [id] }
        guard let ids = values["ids"]?.arrayValue?.map(\.stringValue), !ids.contains(nil) else {
            throw arguments.wrong("ids", "a list of strings")
        }
        return ids.compactMap { $0 }
    }

    // MARK: Replies

    private func answer(
        _ reply: Reply,
        _ work:
            @escaping @Sendable (any QueueSession, _ now: Int64, _ time: Int64) throws(SQLiteFailure) -> JSONValue,
        then: @escaping @Sendable () -> Void = {}
    ) {
        queue.store.perform(work) { result in
            switch result {
            case .success(let value): reply.json(value)
            case .failure(let failure): reply.fail(QueueStore.error(failure))
            }
            then()
        }
    }

    private func list(_ selection: Selection, _ limit: Int, isUnacknowledged: Bool = false, _ reply: Reply) {
        answer(reply) { (session, _, _) throws(SQLiteFailure) in
            .object([
                "requests": .array(
                    try session.list(
                        selection, limit: limit, isWhole: isUnacknowledged, isUnacknowledged: isUnacknowledged))
            ])
        }
    }

    private func show(_ id: String, _ reply: Reply) {
        queue.store.perform { (session, _, _) throws(SQLiteFailure) in
            try session.list(Selection(id: id), limit: 1, isWhole: true, isUnacknowledged: false).first
        } then: { result in
            switch result {
            case .success(.some(let entry)): reply.json(entry)
            case .success(.none):
                reply.fail(
                    PlugboardError(.queueUnknown, "The queue has no request with this ticket. See the command list."))
            case .failure(let failure): reply.fail(QueueStore.error(failure))
            }
        }
    }

    private func replay(_ selection: Selection, _ reply: Reply) {
        let queue = queue
        queue.store.perform { (session, now, _) throws(SQLiteFailure) in
            try session.revive(selection, now: now)
        } then: { result in
            if case .failure(let failure) = result {
                reply.fail(QueueStore.error(failure))
                return
            }
            queue.replayer.replayByHand(selection.naming) {
                QueueCommand(queue: queue).answer(reply) { (session, _, _) throws(SQLiteFailure) in
                    .object(try session.statistics())
                }
            }
        }
    }

    private func drop(_ selection: Selection, _ reply: Reply) {
        let queue = queue
        queue.store.perform { (session, _, _) throws(SQLiteFailure) in
            try session.drop(selection)
        } then: { result in
            switch result {
            case .success(let ids):
                queue.replayer.cancel(Set(ids))
                queue.replayer.reload()
                queue.news.dropped(ids)
                for id in ids { queue.replayer.outcomes.ended(id) }
                reply.json(["dropped": .number(JSONNumber(ids.count))])
            case .failure(let failure): reply.fail(QueueStore.error(failure))
            }
        }
    }

    private func outcome(_ arguments: CommandArguments, _ reply: Reply) throws(PlugboardError) {
        let id = try arguments.required("id")
        var limit: Duration?
        if let text = try arguments["wait"] {
            guard let time = DurationText(text)?.duration else { throw arguments.wrong("wait", "a time such as 30s") }
            limit = time
        }
        let outcomes = queue.replayer.outcomes
        let number = outcomes.wait(for: id, reply)
        if let limit { queue.host.schedule(after: limit) { outcomes.give(id, number) } }
        queue.replayer.kick()
    }

    private func acknowledge(_ ids: [String], _ reply: Reply) {
        answer(reply) { (session, _, _) throws(SQLiteFailure) in
            ["acknowledged": .number(JSONNumber(try session.acknowledge(ids)))]
        }
    }
}
