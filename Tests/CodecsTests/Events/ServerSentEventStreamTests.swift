import Plugboard
import Synchronization
import TestSupport
import Testing

struct ServerSentEventStreamTests {
    /// What a sender does with each request, in order; the last for all that follow.
    private final class ScriptedSender: RequestSender {
        func options(of request: Request) -> RequestOptions { request.options }

        private let script: [Result<Response, PlugboardError>]
        private let state = Mutex<[Request]>([])

        init(_ script: Result<Response, PlugboardError>...) { self.script = script }

        var requests: [Request] { state.withLock { $0 } }

        nonisolated(nonsending) func send(_ request: Request) async throws(PlugboardError) -> Response {
            let index = state.withLock { requests in
                requests.append(request)
                return requests.count - 1
            }
            if let body = request.body { _ = try await body.collect(upTo: .mebibytes(1)) }
            return try script[min(index, script.count - 1)].get()
        }
    }

    /// Records the waits, which take no time.
    private final class Waits: Sendable {
        private let state = Mutex<[Duration]>([])
        var times: [Duration] { state.withLock { $0 } }
        var settings: ServerSentEventSettings {
            var settings = ServerSentEventSettings()
            settings.sleep = { time in self.state.withLock { $0.append(time) } }
            return settings
        }
    }

    private static func stream(
        _ text: String, status: Int = 200, type: String = "text/event-stream; charset=utf-8",
        ending: Piece = .end(trailers: Fields())
    ) -> Result<Response, PlugboardError> {
        let head = ResponseHead(status: status, fields: ["Content-Type": type])
        return .success(
            Response(head: head, body: Body(PiecesSource([text], ending: ending)), url: "https://a.example/"))
    }

    private static let done = stream("", status: 204)
    private static let down = Result<Response, PlugboardError>.failure(PlugboardError(.transportConnect, "down"))

    private func all(
        _ sender: ScriptedSender, _ settings: ServerSentEventSettings, _ request: Request = Request(.get, "u")
    ) async throws -> [String] {
        var events: [String] = []
        for try await event in sender.serverSentEvents(request, settings: settings) {
            events.append("\(event.id):\(event.data)")
        }
        return events
    }

    @Test func `a stream that ended is opened again with the last id, after the time that the server says`()
        async throws
    {
        let sender = ScriptedSender(
            Self.stream("id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: cut"), Self.stream("retry: 50\ndata: c\n\n"),
            Self.stream("id\ndata: d\n\n"), Self.done)
        let waits = Waits()

        let events = try await all(sender, waits.settings)

        #expect(events == ["1:a", "2:b", "2:c", ":d"])
        #expect(waits.times == [.seconds(3), .milliseconds(50), .milliseconds(50)])
        #expect(sender.requests.map { $0["Last-Event-ID"] } == [nil, "2", "2", nil])
        #expect(sender.requests.allSatisfy { $0[.accept] == "text/event-stream" && $0[.cacheControl] == "no-store" })
    }

    @Test func `a break is like an end, and failing attempts wait longer and longer`() async throws {
        let cut = Piece.broken(PlugboardError(.bodyCut, "cut"))
        let sender = ScriptedSender(
            Self.stream("data: a\n\n", ending: cut), Self.down, .failure(PlugboardError(.timeoutConnect, "slow")),
            Self.stream("data: b\n\n", ending: .broken(PlugboardError(.transportReset, "reset"))), Self.done)
        let waits = Waits()
        var settings = waits.settings
        settings.longestWait = .seconds(10)

        #expect(try await all(sender, settings) == [":a", ":b"])
        #expect(waits.times == [.seconds(3), .seconds(6), .seconds(10), .seconds(3)])
    }

    @Test func `an earlier stream's id can be given, and one that no field can hold is not sent`() async throws {
        let sender = ScriptedSender(Self.stream("id: a\u{1}b\ndata: x\n\n"), Self.done)
        let waits = Waits()
        var settings = waits.settings
        settings.lastEventID = "7"

        #expect(try await all(sender, settings) == ["a\u{1}b:x"])
        #expect(sender.requests.map { $0["Last-Event-ID"] } == ["7", nil])
    }

    @Test func `an id that the server takes back is not sent any more, also if the request had it`() async throws {
        let sender = ScriptedSender(Self.stream("id\ndata: x\n\n"), Self.done)
        let request = Request(.get, "u", fields: ["Last-Event-ID": "7"])

        #expect(try await all(sender, Waits().settings, request) == [":x"])
        #expect(sender.requests.map { $0["Last-Event-ID"] } == ["7", nil])
    }

    @Test(arguments: [
        (200, "text/html", PlugboardError.Code.responseType), (500, "text/event-stream", .responseStatus),
        (201, "text/event-stream", .responseStatus), (404, "text/plain", .responseStatus),
    ])
    func `another status or type ends the sequence with an error`(
        status: Int, type: String, code: PlugboardError.Code
    ) async throws {
        let waits = Waits()
        let sender = ScriptedSender(Self.stream("data: a\n\n"), Self.stream("oops", status: status, type: type))
        var reading = sender.serverSentEvents(Request(.get, "u"), settings: waits.settings).makeAsyncIterator()

        #expect(try await reading.next()?.data == "a")
        let error = await #expect(throws: PlugboardError.self) { _ = try await reading.next() }

        #expect(error?.code == code && error?.response?.firstBytes.text == "oops")
        #expect(try await reading.next() == nil && sender.requests.count == 2)
    }

    @Test func `an error before the first stream is thrown, and so are those that another attempt cannot mend`()
        async throws
    {
        let waits = Waits()
        let first = ScriptedSender(Self.down)
        let later = ScriptedSender(Self.stream(""), .failure(PlugboardError(.requestURL, "bad")))
        let limit = ScriptedSender(Self.stream(""), Self.down)
        var limited = waits.settings
        limited.failureLimit = 3

        let errors = [
            await #expect(throws: PlugboardError.self) { try await all(first, waits.settings) },
            await #expect(throws: PlugboardError.self) { try await all(later, waits.settings) },
            await #expect(throws: PlugboardError.self) { try await all(limit, limited) },
        ]

        #expect(errors.map { $0?.code } == [.transportConnect, .requestURL, .transportConnect])
        #expect(first.requests.count == 1 && later.requests.count == 2 && limit.requests.count == 4)
    }

    @Test func `an event above the limit ends the sequence`() async throws {
        let waits = Waits()
        var settings = waits.settings
        settings.eventLimit = .bytes(16)
        let sender = ScriptedSender(Self.stream("data: 0123456789\ndata: 0123456789\n\n"))

        let error = await #expect(throws: PlugboardError.self) { try await all(sender, settings) }

        #expect(error?.code == .bodyLimit && sender.requests.count == 1)
    }

    @Test func `a request with a body is sent again if the body can be`() async throws {
        let waits = Waits()
        let sender = ScriptedSender(Self.stream("data: a\n\n"), Self.done)
        let request = try Request(.post, "u", json: ["prompt": "x"])
        #expect(try await all(sender, waits.settings, request) == [":a"])

        let once = ScriptedSender(Self.stream("data: a\n\n"), Self.done)
        var unrepeatable = request
        unrepeatable.body = Body(PiecesSource(["x"]))
        let sent = unrepeatable
        let error = await #expect(throws: PlugboardError.self) { try await all(once, waits.settings, sent) }
        #expect(error?.code == .bodyRewind && once.requests.count == 1)
    }

    @Test func `cancelling the task ends the wait with cancelled`() async throws {
        let gate = Gate()
        var settings = ServerSentEventSettings()
        settings.sleep = { _ in
            gate.open()
            try await Task.sleep(for: .seconds(3600))
        }
        let chosen = settings
        let reading = Task { try await all(ScriptedSender(Self.stream("")), chosen) }
        try await gate.opened()

        reading.cancel()

        let error = await #expect(throws: PlugboardError.self) { _ = try await reading.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `a kernel's stream arrives as it is sent, goes on after a broken connection, and ends with 204`()
        async throws
    {
        let gate = Gate()
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        let server = try LoopbackServer(
            .inTurn(
                Script { connection in
                    _ = try connection.readRequest()
                    try connection.write(head + "10\r\nid: 1\ndata: a\n\nd\r\n")
                    try connection.wait(for: gate)
                    connection.reset()
                },
                Script { connection in
                    let request = try connection.readRequest()
                    let data = "data: \(request["Last-Event-ID"] ?? "none")\n\n"
                    try connection.write(head + "\(String(data.utf8.count, radix: 16))\r\n\(data)\r\n0\r\n\r\n")
                },
                Script { connection in
                    try connection.respond(ServerResponse(status: 204), to: connection.readRequest())
                }))
        let kernel = try Kernel()
        let waits = Waits()

        var reading = kernel.serverSentEvents(Request(.get, server.url()), settings: waits.settings).makeAsyncIterator()
        #expect(try await reading.next() == ServerSentEvent(data: "a", id: "1"))
        gate.open()
        #expect(try await reading.next() == ServerSentEvent(data: "1", id: "1"))
        #expect(try await reading.next() == nil)

        #expect(waits.times == [.seconds(3), .seconds(3)])
        await kernel.shutDown()
    }

    @Test func `cancelling the task that waits for an event closes the connection`() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: a\n\n")
            try connection.waitForClose()
        }
        let kernel = try Kernel()
        let gate = Gate()
        let url = server.url()
        let reading = Task {
            for try await _ in kernel.serverSentEvents(Request(.get, url)) { gate.open() }
        }
        try await gate.opened()

        reading.cancel()

        let error = await #expect(throws: PlugboardError.self) { try await reading.value }
        #expect(error?.code == .cancelled)
        try await server.endedConnections(atLeast: 1)
        await kernel.shutDown()
    }
}
