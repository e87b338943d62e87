import PlugboardKit

/// One step of a scenario: its actions and then its expectations, in the order of these properties.
struct ScenarioStep: Sendable {
    struct Send: Sendable {
        var request: Request
        /// The name by which later steps refer to the exchange.
        var name: String
    }

    struct Command: Sendable {
        var name: String
        var arguments: String
        var reply: ScenarioPattern?
        var failure: ScenarioPattern?
    }

    struct Sent: Sendable {
        var method: ScenarioPattern?
        var url: ScenarioPattern?
        var fields: [(name: String, pattern: ScenarioPattern)]
        var body: ScenarioPattern?
    }

    struct Respond: Sendable {
        /// The attempt's number; nil for the first that waits for an outcome.
        var number: Int?
        var outcome: ScriptedTransport.Outcome
    }

    struct Outcome: Sendable {
        /// The exchange's name; nil for the last one begun.
        var name: String?
        var status: Int?
        var fields: [(name: String, pattern: ScenarioPattern)] = []
        var body: ScenarioPattern?
        var trailers: [(name: String, pattern: ScenarioPattern)] = []
        var attempts: Int?
        var code: ScenarioPattern?
        var reason: ScenarioPattern?
        var plugin: ScenarioPattern?
    }

    struct Event: Sendable {
        var id: String
        var details: [(name: String, pattern: ScenarioPattern)]
    }

    let path: String
    let wallClock: Duration?
    let send: Send?
    let cancel: String?
    let command: Command?
    let advance: Duration?
    let sent: Sent?
    let respond: Respond?
    let received: Outcome?
    let failed: Outcome?
    let event: Event?
    let log: ScenarioPattern?
    let counters: [(name: String, value: Int64)]
    let isNothingSent: Bool

    init(_ value: JSONValue, at path: String, number: Int) throws(ScenarioError) {
        let members = try ScenarioMembers(
            value, at: path,
            known: [
                "clock", "send", "cancel", "command", "advance", "sent", "respond", "fail", "received", "failed",
                "event",
                "log", "counters", "nothingSent",
            ])
        self.path = path
        wallClock = try members.moment("clock")
        send = try members["send"].mapError { value throws(ScenarioError) in
            try ScenarioStep.send(value, at: members.path(of: "send"), number: number)
        }
        cancel = try members.text("cancel")
        command = try members["command"].mapError { value throws(ScenarioError) in
            try ScenarioStep.command(value, at: members.path(of: "command"))
        }
        advance = try members.duration("advance")
        sent = try members["sent"].mapError { value throws(ScenarioError) in
            try ScenarioStep.sent(value, at: members.path(of: "sent"))
        }
        if let value = members["respond"] {
            respond = try ScenarioStep.respond(value, at: members.path(of: "respond"))
        } else if let value = members["fail"] {
            respond = try ScenarioStep.fail(value, at: members.path(of: "fail"))
        } else {
            respond = nil
        }
        received = try members["received"].mapError { value throws(ScenarioError) in
            try ScenarioStep.received(value, at: members.path(of: "received"))
        }
        failed = try members["failed"].mapError { value throws(ScenarioError) in
            try ScenarioStep.failed(value, at: members.path(of: "failed"))
        }
        event = try members["event"].mapError { value throws(ScenarioError) in
            try ScenarioStep.event(value, at: members.path(of: "event"))
        }
        log = try members["log"].mapError { value throws(ScenarioError) in
            try ScenarioPattern(value, at: members.path(of: "log"))
        }
        var counters: [(String, Int64)] = []
        for (name, value) in try members.object("counters") ?? [:] {
            guard let count = value.intValue else {
                throw ScenarioError(path: members.path(of: "counters"), reason: "must hold whole numbers")
            }
            counters.append((name, count))
        }
        self.counters = counters
        isNothingSent = try members.flag("nothingSent") ?? false
    }

    // MARK: Actions

    private static func send(_ value: JSONValue, at path: String, number: Int) throws(ScenarioError) -> Send {
        let members = try ScenarioMembers(
            value, at: path, known: ["as", "method", "url", "fields", "attributes", "body", "pieces", "atOnce"])
        guard let url = try members.text("url") else { throw ScenarioError(path: path, reason: "needs a url") }
        let body = try body(members)
        let method = try members.text("method") ?? (body == nil ? "GET" : "POST")
        var request = Request(Method(method), url, fields: try members.fields("fields"), body: body)
        for (name, value) in try members.object("attributes") ?? [:] {
            guard let text = value.stringValue else {
                throw ScenarioError(path: members.path(of: "attributes"), reason: "must hold texts")
            }
            request.attributes[name] = text
        }
        return Send(request: request, name: try members.text("as") ?? "\(number)")
    }

    /// A body in pieces of the size `pieces`, each in its own turn of the loop unless `atOnce`; without it in one
    /// piece.
    private static func body(
        _ members: ScenarioMembers, ending: Piece = .end(trailers: Fields())
    ) throws(ScenarioError) -> Body? {
        let (size, isAtOnce) = (try members.number("pieces"), try members.flag("atOnce") ?? false)
        guard let bytes = try members.bytes("body") else { return nil }
        return .pieces(of: size ?? max(bytes.count, 1), bytes, later: !isAtOnce, ending: ending)
    }

    private static func command(_ value: JSONValue, at path: String) throws(ScenarioError) -> Command {
        let members = try ScenarioMembers(value, at: path, known: ["name", "arguments", "reply", "fails"])
        guard let name = try members.text("name") else { throw ScenarioError(path: path, reason: "needs a name") }
        return Command(
            name: name, arguments: JSONWriter.write(.object(try members.object("arguments") ?? [:])),
            // A reply is JSON, so any other value stands for the same JSON.
            reply: members["reply"].map { .json($0) },
            failure: try members["fails"].mapError { value throws(ScenarioError) in
                try ScenarioPattern(value, at: members.path(of: "fails"))
            })
    }

    private static func respond(_ value: JSONValue, at path: String) throws(ScenarioError) -> Respond {
        let members = try ScenarioMembers(
            value, at: path, known: ["to", "status", "fields", "body", "pieces", "atOnce", "trailers", "breaks"])
        var ending = Piece.end(trailers: try members.fields("trailers"))
        if let value = members["breaks"] { ending = .broken(try error(value, at: members.path(of: "breaks"))) }
        let head = ResponseHead(status: try members.number("status") ?? 200, fields: try members.fields("fields"))
        let empty = Body.pieces(of: 1, .empty, ending: ending)
        return Respond(
            number: try members.number("to"),
            outcome: .respond(head, try body(members, ending: ending) ?? empty))
    }

    private static func fail(_ value: JSONValue, at path: String) throws(ScenarioError) -> Respond {
        let members = try ScenarioMembers(value, at: path, known: ["to", "code", "reason"])
        return Respond(number: try members.number("to"), outcome: .fail(try error(members)))
    }

    private static func error(_ value: JSONValue, at path: String) throws(ScenarioError) -> PlugboardError {
        try error(try ScenarioMembers(value, at: path, known: ["code", "reason"]))
    }

    private static func error(_ members: ScenarioMembers) throws(ScenarioError) -> PlugboardError {
        guard let code = try members.text("code") else {
            throw ScenarioError(path: members.path, reason: "needs a code, such as \"transport.connect\"")
        }
        return PlugboardError(.init(code), try members.text("reason") ?? "The scenario says so.")
    }

    // MARK: Expectations

    private static func sent(_ value: JSONValue, at path: String) throws(ScenarioError) -> Sent {
        let members = try ScenarioMembers(value, at: path, known: ["method", "url", "fields", "body"])
        return Sent(
            method: try pattern(members, "method"), url: try pattern(members, "url"),
            fields: try patterns(members, "fields"), body: try pattern(members, "body"))
    }

    private static func received(_ value: JSONValue, at path: String) throws(ScenarioError) -> Outcome {
        let members = try ScenarioMembers(
            value, at: path, known: ["of", "status", "fields", "body", "trailers", "attempts"])
        return Outcome(
            name: try members.text("of"), status: try members.number("status"), fields: try patterns(members, "fields"),
            body: try pattern(members, "body"), trailers: try patterns(members, "trailers"),
            attempts: try members.number("attempts"))
    }

    private static func failed(_ value: JSONValue, at path: String) throws(ScenarioError) -> Outcome {
        let members = try ScenarioMembers(value, at: path, known: ["of", "code", "reason", "plugin"])
        return Outcome(
            name: try members.text("of"), code: try pattern(members, "code"), reason: try pattern(members, "reason"),
            plugin: try pattern(members, "plugin"))
    }

    private static func event(_ value: JSONValue, at path: String) throws(ScenarioError) -> Event {
        let members = try ScenarioMembers(value, at: path, known: ["id", "details"])
        guard let id = try members.text("id") else { throw ScenarioError(path: path, reason: "needs an id") }
        return Event(id: id, details: try patterns(members, "details"))
    }

    private static func pattern(_ members: ScenarioMembers, _ key: String) throws(ScenarioError) -> ScenarioPattern? {
        guard let value = members[key] else { return nil }
        return try ScenarioPattern(value, at: members.path(of: key))
    }

    private static func patterns(
        _ members: ScenarioMembers, _ key: String
    ) throws(ScenarioError) -> [(name: String, pattern: ScenarioPattern)] {
        var patterns: [(name: String, pattern: ScenarioPattern)] = []
        for (name, value) in try members.object(key) ?? [:] {
            patterns.append((name, try ScenarioPattern(value, at: "\(members.path(of: key)).\(Printable.text(name))")))
        }
        return patterns
    }
}

extension Optional {
    /// `map` with a typed error.
    func mapError<Value>(
        _ transform: (Wrapped) throws(ScenarioError) -> Value
    ) throws(ScenarioError) -> Value? {
        guard let self else { return nil }
        return try transform(self)
    }
}
