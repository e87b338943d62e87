import PlugboardJSON
import PlugboardKit

extension PluginCommands {
    /// The commands of the plugin `queue`: `try await kernel.queue.outcome(of: ticket)`.
    public var queue: QueueCommands { QueueCommands(of: self) }
}

extension RequestSender {
    /// Puts a request into the queue, to be sent later, and returns its ticket as soon as it is on the disk.
    ///
    /// The program can treat the request as sent; `kernel.queue.outcome(of:)` tells whether the server has carried it
    /// out. Throws `queue.full` or `queue.file` if the request cannot be kept.
    public nonisolated(nonsending) func sendLater(_ request: Request) async throws(PlugboardError) -> String {
        var request = request
        request.queue.mode = .later
        do {
            _ = try await send(request)
        } catch {
            guard let ticket = error.queueTicket else { throw error }
            return ticket
        }
        throw PlugboardError(
            .commandUnknown, "The plugin queue is not enabled, so the request was sent at once. Enable it.")
    }
}

/// The commands of the plugin `queue`. Called from any task.
///
/// All throw `command.unknown` if the plugin is not enabled, and a code that begins with `queue.` if the plugin refuses
/// an argument or cannot use its file.
public struct QueueCommands: Sendable {
    private let commands: any PluginCommands

    fileprivate init(of commands: any PluginCommands) { self.commands = commands }

    /// Requests in their order, selected by ticket, tag, category and state; nil selects all.
    public func list(
        id: String? = nil, tag: String? = nil, category: String? = nil, state: QueuedRequest.State? = nil,
        limit: Int = 100
    ) async throws(PlugboardError) -> [QueuedRequest] {
        try await requests("list", selection(id, tag, category, state, limit))
    }

    /// Waits until the request with this ticket has an outcome, in this process or another, and returns it.
    ///
    /// The outcome is returned again until it is acknowledged. After `within`, returns the request in its current
    /// state. Throws `queue.unknown` for a ticket that the queue does not have.
    public func outcome(of ticket: String, within: Duration? = nil) async throws(PlugboardError) -> QueuedRequest {
        var arguments: JSONObject = ["id": .string(ticket)]
        if let within { arguments["wait"] = .string(DurationText(max(within, .milliseconds(1))).description) }
        guard let request = QueuedRequest(try await commands.json("queue", "outcome", arguments)) else {
            throw PlugboardError(.commandReply, "The plugin queue did not reply with a request.")
        }
        return request
    }

    /// The outcomes that were not acknowledged, the oldest first.
    public func outcomes(
        tag: String? = nil, category: String? = nil, limit: Int = 100
    ) async throws(PlugboardError) -> [QueuedRequest] {
        try await requests("outcomes", selection(nil, tag, category, nil, limit))
    }

    /// Forgets outcomes that the program has dealt with; returns how many. Dead requests stay until they are dropped.
    @discardableResult
    public func acknowledge(_ tickets: [String]) async throws(PlugboardError) -> Int {
        let ids: JSONObject = ["ids": .array(tickets.map { .string($0) })]
        return number(try await commands.json("queue", "acknowledge", ids), "acknowledged")
    }

    /// Sends waiting requests now, without waiting for their time, and dead ones that are named by ticket. Returns when
    /// nothing can be sent any more.
    @discardableResult
    public func replay(
        id: String? = nil, tag: String? = nil, category: String? = nil
    ) async throws(PlugboardError) -> QueueStatistics {
        QueueStatistics(try await commands.json("queue", "replay", selection(id, tag, category, nil, nil)))
    }

    /// Removes the requests that match all given arguments. Returns their number.
    ///
    /// One that this process is sending is cancelled, and may have been carried out.
    @discardableResult
    public func drop(
        id: String? = nil, tag: String? = nil, category: String? = nil, state: QueuedRequest.State? = nil
    ) async throws(PlugboardError) -> Int {
        number(try await commands.json("queue", "drop", selection(id, tag, category, state, nil)), "dropped")
    }

    /// The requests that are not sent any more, until they are replayed by ticket or dropped.
    public func dead(tag: String? = nil, category: String? = nil) async throws(PlugboardError) -> [QueuedRequest] {
        try await requests("dead", selection(nil, tag, category, nil, nil))
    }

    /// Removes all requests.
    public func forget() async throws(PlugboardError) { _ = try await commands.json("queue", "forget") }

    /// The numbers of requests by state.
    public func statistics() async throws(PlugboardError) -> QueueStatistics {
        QueueStatistics(try await commands.json("queue", "stats"))
    }

    /// Makes the tables in the database of `store`, or brings them up to this version. Returns a sentence about it.
    @discardableResult
    public func migrate() async throws(PlugboardError) -> String {
        try await commands.json("queue", "migrate")["migrated"]?.stringValue ?? ""
    }

    private func selection(
        _ id: String?, _ tag: String?, _ category: String?, _ state: QueuedRequest.State?, _ limit: Int?
    ) -> JSONObject {
        var object = JSONObject()
        object["id"] = id.map { .string($0) }
        object["tag"] = tag.map { .string($0) }
        object["category"] = category.map { .string($0) }
        object["state"] = state.map { .string($0.rawValue) }
        object["limit"] = limit.map { .number(JSONNumber($0)) }
        return object
    }

    private func requests(_ command: String, _ arguments: JSONObject) async throws(PlugboardError) -> [QueuedRequest] {
        let reply = try await commands.json("queue", command, arguments)
        return reply["requests"]?.arrayValue?.compactMap { QueuedRequest($0) } ?? []
    }

    private func number(_ reply: JSONValue, _ name: String) -> Int {
        reply[name]?.intValue.map { Int(clamping: $0) } ?? 0
    }
}

/// The numbers of requests in the queue.
public struct QueueStatistics: Sendable, Equatable {
    /// Requests that will be sent.
    public var waiting: Int
    /// Requests that a process is sending.
    public var sending: Int
    /// Requests whose outcome was not acknowledged.
    public var done: Int
    /// Requests that are not sent again automatically.
    public var dead: Int
    /// The bytes that count for the limit: requests and outcomes.
    public var bytes: Int

    fileprivate init(_ value: JSONValue) {
        func number(_ name: String) -> Int { value[name]?.intValue.map { Int(clamping: $0) } ?? 0 }
        waiting = number("waiting")
        sending = number("sending")
        done = number("done")
        dead = number("dead")
        bytes = number("bytes")
    }
}

/// A request in the queue, and its outcome.
public struct QueuedRequest: Sendable {
    /// The state of a request.
    public enum State: String, Sendable {
        /// It will be sent.
        case waiting
        /// A process is sending it.
        case sending
        /// It has an outcome: the server has carried it out, or it was collapsed or dropped for a later one (`code`).
        case done
        /// It is not sent again automatically; `code` and `status` say why.
        case dead
    }

    /// The ticket.
    public var id: String
    /// The state.
    public var state: State
    /// The method.
    public var method: String
    /// The URL; without values of the query in lists.
    public var url: String
    /// The category.
    public var category: String?
    /// The word by which it is found.
    public var tag: String?
    /// The program's own text.
    public var context: String?
    /// How often the server was not able to carry it out.
    public var attempts: Int
    /// How often the server refused it.
    public var rejections: Int
    /// The code of the last failure; nil after a success.
    public var code: PlugboardError.Code?
    /// The sentence of the last failure.
    public var reason: String?
    /// The status of the response that is the outcome.
    public var status: Int?
    /// The fields of that response, without cookies and secret ones; only in outcomes.
    public var responseFields: Fields
    /// The body of that response, up to the setting `resultLimit`; only in outcomes.
    public var responseBody: Bytes?

    /// Whether the server has carried the request out.
    public var hasSucceeded: Bool { state == .done && code == nil }

    fileprivate init?(_ value: JSONValue) {
        guard let id = value["id"]?.stringValue,
            let state = value["state"]?.stringValue.flatMap({ State(rawValue: $0) })
        else { return nil }
        func text(_ name: String) -> String? { value[name]?.stringValue }
        func number(_ name: String) -> Int? { value[name]?.intValue.map { Int(clamping: $0) } }
        self.id = id
        self.state = state
        method = text("method") ?? ""
        url = text("url") ?? ""
        category = text("category")
        tag = text("tag")
        context = text("context")
        attempts = number("attempts") ?? 0
        rejections = number("rejections") ?? 0
        code = text("code").map { PlugboardError.Code($0) }
        reason = text("reason")
        status = number("status")
        responseFields = Fields()
        for field in value["responseFields"]?.arrayValue ?? [] {
            if let name = field[0]?.stringValue, let value = field[1]?.stringValue {
                responseFields.append(FieldName(name), value)
            }
        }
        responseBody = text("responseBody").flatMap { Base64.decode($0) }.map { Bytes($0) }
    }
}
