import PlugboardKit

/// One step of a scenario: what is done, and then what is expected of it, in the order of the properties here.
struct ScenarioStep: Sendable {
    struct Send: Sendable {
        var request: Request
        /// What later steps call the exchange.
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
        /// The attempt's number; nil for the first that has no answer.
        var number: Int?
        var answer: ScriptedTransport.Outcome
    }

    struct Outcome: Sendable {
        /// The exchange's name; nil for the last that was begun.
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

    let place: String
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

    init(_ value: JSONValue, at place: String, number: Int) throws(ScenarioError) {
        let members = try ScenarioMembers(
            value, at: place,
            known: [
                "clock", "send", "cancel", "command", "advance", "sent", "respond", "fail", "received", "failed",
                "event",
                "log", "counters", "nothingSent",
            ])
        self.place = place
        wallClock = try members.moment("clock")
        send = try members["send"].mapError { value throws(ScenarioError) in
            try ScenarioStep.send(value, at: members.place(of: "send"), number: number)
        }
        cancel = try members.text("cancel")
        command = try members["command"].mapError { value throws(ScenarioError) in
            try ScenarioStep.command(value, at: members.place(of: "command"))
        }
        advance = try members.duration("advance")
        sent = try members["sent"].mapError { value throws(ScenarioError) in
            try ScenarioStep.sent(value, at: members.place(of: "sent"))
        }
        if let value = members["respond"] {
            respond = try ScenarioStep.respond(value, at: members.place(of: "respond"))
        } else if let value = members["fail"] {
            respond = try ScenarioStep.fail(value, at: members.place(of: "fail"))
        } else {
            respond = nil
        }
        received = try members["received"].mapError { value throws(ScenarioError) in
            try ScenarioStep.received(value, at: members.place(of: "received"))
        }
        failed = try members["failed"].mapError { value throws(ScenarioError) in
            try ScenarioStep.failed(value, at: members.place(of: "failed"))
        }
        event = try members["event"].mapError { value throws(ScenarioError) in
            try ScenarioStep.event(value, at: members.place(of: "event"))
        }
        log = try members["log"].mapError { value throws(ScenarioError) in
            try ScenarioPattern(value, at: members.place(of: "log"))
        }
        var counters: [(String, Int64)] = []
        for (name, value) in try members.object("counters") ?? [:] {
            guard let count = value.intValue else {
                throw ScenarioError(place: members.place(of: "counters"), reason: "must hold whole numbers")
            }
            counters.append((name, count))
        }
        self.counters = counters
        isNothingSent = try members.flag("nothingSent") ?? false
    }

    // MARK: What is done

    private static func send(_ value: JSONValue, at place: String, number: Int) throws(ScenarioError) -> Send {
        let members = try ScenarioMembers(
            value, at: place, known: ["as", "method", "url", "fields", "attributes", "body", "pieces", "atOnce"])
        guard let url = try members.text("url") else { throw ScenarioError(place: place, reason: "needs a url") }
        let body = try body(members)
        let method = try members.text("method") ?? (body == nil ? "GET" : "POST")
        var request = Request(Method(method), url, fields: try members.fields("fields"), body: body)
        for (name, value) in try members.object("attributes") ?? [:] {
            guard let text = value.stringValue else {
                throw ScenarioError(place: members.place(of: "attributes"), reason: "must hold texts")
            }
            request.attributes[name] = text
        }
        return Send(request: request, name: try members.text("as") ?? "\(number)")
    }

    /// In pieces of a size, each in a turn of its own unless `atOnce`; in one piece if no size is given.
    private static func body(
        _ members: ScenarioMembers, ending: Piece = .end(trailers: Fields())
    ) throws(ScenarioError) -> Body? {
        let (size, isAtOnce) = (try members.number("pieces"), try members.flag("atOnce") ?? false)
        guard let bytes = try members.bytes("body") else { return nil }
        return .pieces(of: size ?? max(bytes.count, 1), bytes, later: !isAtOnce, ending: ending)
    }

    private static func command(_ value: JSONValue, at place: String) throws(ScenarioError) -> Command {
        let members = try ScenarioMembers(value, at: place, known: ["name", "arguments", "reply", "fails"])
        guard let name = try members.text("name") else { throw ScenarioError(place: place, reason: "needs a name") }
        return Command(
            name: name, arguments: JSONWriter.write(.object(try members.object("arguments") ?? [:])),
            // A reply is JSON: a value stands for itself.
            reply: members["reply"].map { .json($0) },
            failure: try members["fails"].mapError { value throws(ScenarioError) in
                try ScenarioPattern(value, at: members.place(of: "fails"))
            })
    }

    private static func respond(_ value: JSONValue, at place: String) throws(ScenarioError) -> Respond {
        let members = try ScenarioMembers(
            value, at: place, known: ["to", "status", "fields", "body", "pieces", "atOnce", "trailers", "breaks"])
        var ending = Piece.end(trailers: try members.fields("trailers"))
        if let value = members["breaks"] { ending = .broken(try error(value, at: members.place(of: "breaks"))) }
        let head = ResponseHead(status: try members.number("status") ?? 200, fields: try members.fields("fields"))
        let empty = Body.pieces(of: 1, .empty, ending: ending)
        return Respond(
            number: try members.number("to"),
            answer: .respond(head, try body(members, ending: ending) ?? empty))
    }

    private static func fail(_ value: JSONValue, at place: String) throws(ScenarioError) -> Respond {
        let members = try ScenarioMembers(value, at: place, known: ["to", "code", "reason"])
        return Respond(number: try members.number("to"), answer: .fail(try error(members)))
    }

    private static func error(_ value: JSONValue, at place: String) throws(ScenarioError) -> PlugboardError {
        try error(try ScenarioMembers(value, at: place, known: ["code", "reason"]))
    }

    private static func error(_ members: ScenarioMembers) throws(ScenarioError) -> PlugboardError {
        guard let code = try members.text("code") else {
            throw ScenarioError(place: members.place, reason: "needs a code, such as \"transport.connect\"")
        }
        return PlugboardError(.init(code), try members.text("reason") ?? "The scenario says so.")
    }

    // MARK: What is expected

    private static func sent(_ value: JSONValue, at place: String) throws(ScenarioError) -> Sent {
        let members = try ScenarioMembers(value, at: place, known: ["method", "url", "fields", "body"])
        return Sent(
            method: try pattern(members, "method"), url: try pattern(members, "url"),
            fields: try patterns(members, "fields"), body: try pattern(members, "body"))
    }

    private static func received(_ value: JSONValue, at place: String) throws(ScenarioError) -> Outcome {
        let members = try ScenarioMembers(
            value, at: place, known: ["of", "status", "fields", "body", "trailers", "attempts"])
        return Outcome(
            name: try members.text("of"), status: try members.number("status"), fields: try patterns(members, "fields"),
            body: try pattern(members, "body"), trailers: try patterns(members, "trailers"),
            attempts: try members.number("attempts"))
    }

    private static func failed(_ value: JSONValue, at place: String) throws(ScenarioError) -> Outcome {
        let members = try ScenarioMembers(value, at: place, known: ["of", "code", "reason", "plugin"])
        return Outcome(
            name: try members.text("of"), code: try pattern(members, "code"), reason: try pattern(members, "reason"),
            plugin: try pattern(members, "plugin"))
    }

    private static func event(_ value: JSONValue, at place: String) throws(ScenarioError) -> Event {
        let members = try ScenarioMembers(value, at: place, known: ["id", "details"])
        guard let id = try members.text("id") else { throw ScenarioError(place: place, reason: "needs an id") }
        return Event(id: id, details: try patterns(members, "details"))
    }

    private static func pattern(_ members: ScenarioMembers, _ key: String) throws(ScenarioError) -> ScenarioPattern? {
        guard let value = members[key] else { return nil }
        return try ScenarioPattern(value, at: members.place(of: key))
    }

    private static func patterns(
        _ members: ScenarioMembers, _ key: String
    ) throws(ScenarioError) -> [(name: String, pattern: ScenarioPattern)] {
        var patterns: [(name: String, pattern: ScenarioPattern)] = []
        for (name, value) in try members.object(key) ?? [:] {
            patterns.append((name, try ScenarioPattern(value, at: "\(members.place(of: key)).\(printable(name))")))
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
