import Plugboard
import PlugboardEventLoop
import Synchronization
import TestSupport
import Testing

/// What the kernel sends again without asking a plugin (RFC 9110 §9.2.2, RFC 9113 §8.7).
@Suite struct RepeatTests {
    @Test(arguments: [Method.get, .put, .delete, .head])
    func `an idempotent request that met a dying connection is sent again, on a new one`(_ method: Method) async throws
    {
        let transport = MockTransport { _, number in
            number == 1 ? .failure(PlugboardError(.transportStale, "closed")) : .respond(200)
        }
        let kernel = try makeKernel([], transport)

        let response = try await kernel.send(Request(method, anywhere))

        #expect(response.status == 200)
        #expect(transport.requests.map(\.usesFreshConnection) == [false, true])
    }

    @Test(arguments: [Method.post, "PATCH", "LOCK"])
    func `a request that may have been carried out is not sent again`(_ method: Method) async throws {
        let transport = MockTransport { _, _ in .failure(PlugboardError(.transportStale, "closed")) }
        let kernel = try makeKernel([], transport)

        await #expect { try await kernel.send(Request(method, anywhere)) } throws: {
            ($0 as? PlugboardError)?.code == .transportStale
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `a request that the server has not acted on is sent again`() async throws {
        let transport = MockTransport { _, number in
            number == 1 ? .failure(PlugboardError(.transportUnprocessed, "refused")) : .respond(200)
        }
        let kernel = try makeKernel([], transport)
        var request = Request(.post, anywhere)
        request.body = .text("body")

        let response = try await kernel.send(request)

        #expect(response.status == 200)
        #expect(transport.requests.count == 2)
    }

    @Test func `a body that cannot begin again and gave nothing goes to the next attempt`() async throws {
        let source = SteppedSource()
        let record = Record()
        let transport = MockTransport { request, number in
            request.body?.pull(Pull(Reader("\(number)", record)))
            if number == 1 { return .failure(PlugboardError(.transportUnprocessed, "refused")) }
            source.give("once")
            return .respond(200)
        }
        let kernel = try makeKernel([], transport)

        let response = try await kernel.send(Request(.post, anywhere, body: Body(source)))

        #expect(response.status == 200)
        #expect(record.lines == ["2 once"])
    }

    @Test func `a piece that comes between two attempts is not lost`() async throws {
        let source = SteppedSource()
        let record = Record()
        let transport = MockTransport { request, number in
            if number == 2 { source.give("once") }
            if number > 1 { request.body?.pull(Pull(Reader("\(number)", record))) }
            if number == 1 { request.body?.pull(Pull(Reader("1", record))) }
            return number == 1 ? .failure(PlugboardError(.transportUnprocessed, "refused")) : .respond(200)
        }
        let kernel = try makeKernel([], transport)

        _ = try await kernel.send(Request(.post, anywhere, body: Body(source)))

        #expect(record.lines == ["2 once"])
    }

    @Test func `an error says that the body was read and cannot be read again`() async throws {
        let source = SteppedSource()
        source.give("once")
        let transport = MockTransport { request, number in
            request.body?.pull(Pull(Reader("\(number)", Record())))
            return .failure(PlugboardError(.transportUnprocessed, "It refused."))
        }
        let kernel = try makeKernel([], transport)

        let error = await #expect(throws: PlugboardError.self) {
            try await kernel.send(Request(.post, anywhere, body: Body(source)))
        }

        #expect(error?.code == .transportUnprocessed)
        #expect(
            error?.reason
                == "It refused. It was not repeated, because a part of its body was read and the body cannot be read "
                + "again. Send the body as bytes or as a file.")
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: ["stream", "source", "joined"])
    func `a request whose body cannot be copied is sent once, and the second time fails at once`(
        kind: String
    ) async throws {
        let record = Record()
        let kernel = try makeKernel([], ReadingTransport(record))
        let pieces = AsyncStream<Bytes> { continuation in
            continuation.yield(Bytes("once"))
            continuation.finish()
        }
        let body: Body =
            switch kind {
            case "stream": .stream(pieces)
            case "source": Body(PiecesSource(["once"]))
            default: .joined([.text("on"), Body(PiecesSource(["ce"]))])
            }
        let request = Request(.put, anywhere, body: body)
        var copy = Request(.post, anywhere)
        copy.body = request.body

        let response = try await kernel.send(request)
        let again = try await failure(of: kernel, request)
        let ofCopy = try await failure(of: kernel, copy)

        #expect(response.status == 200)
        #expect(again.code == .bodyRead && again.reason.contains("a stream can be sent only once. Make a new request"))
        #expect(ofCopy == again)
        #expect(record.lines == ["once"])
    }

    @Test func `a body in memory can be sent by several requests`() async throws {
        let record = Record()
        let kernel = try makeKernel([], ReadingTransport(record))
        let request = Request(.put, anywhere, body: .joined([.text("a"), .text("b")]))

        _ = try await kernel.send(request)
        _ = try await kernel.send(request)

        #expect(record.lines == ["ab", "ab"])
    }

    @Test func `a GOAWAY that leaves a request out repeats it with the body that it has not read`() async throws {
        let source = SteppedSource()
        let server = try LoopbackServer(
            .inTurn(
                .http2 { connection in
                    _ = try connection.readRequest()
                    try connection.goAway(last: 0)
                    try connection.connection.waitForClose()
                },
                .http2 { connection in
                    let stream = try connection.readRequest()
                    source.give("once")
                    source.give(nil)
                    // libcurl 7.88.1 does not see the end of a response that ends before its request.
                    let count = try connection.readRequestEnd()
                    try connection.respond(to: stream, body: "taken \(count)")
                    try connection.connection.waitForClose()
                }))
        defer { server.stop() }
        let kernel = try Kernel(configuration: Configuration())
        var request = Request(.post, server.url(), body: Body(source))
        request.options.httpVersion = .http2PriorKnowledge

        let text = try await kernel.send(request).body.text()

        #expect(text == "taken 4")
        #expect(server.connectionCount == 2)
        await kernel.shutDown()
    }

    @Test func `each sending is an attempt, with its events, and none is made without end`() async throws {
        let transport = MockTransport { _, _ in .failure(PlugboardError(.transportUnprocessed, "refused")) }
        let kernel = try makeKernel([], transport)
        let reasons = Mutex<[String]>([])

        let handle = kernel.begin(Request(.get, anywhere)) { event in
            if event.id == "attemptBegan" { reasons.withLock { $0.append(event["reason"] ?? "") } }
        }
        let error = await #expect(throws: PlugboardError.self) { try await handle.response }

        #expect(error?.code == .transportUnprocessed)
        #expect(error?.attempt == 4)
        #expect(reasons.withLock { $0 } == ["first", "repeat", "repeat", "repeat"])
    }

    @Test func `a POST that a server swallowed on a kept connection is carried out once`() async throws {
        let server = try LoopbackServer(.closedInsteadOfSecondResponse())
        let kernel = try Kernel(configuration: Configuration())
        defer { server.stop() }

        _ = try await kernel.send(Request(.get, server.url())).body.text()
        var request = Request(.post, server.url("/order"))
        request.body = .text("one")
        let code = await code { try await kernel.send(request) }
        let again = try await kernel.send(Request(.get, server.url("/next"))).body.text()

        #expect(code == .transportStale)
        #expect(again == "kept")
        #expect(server.requests.filter { $0.target == "/order" }.count == 1)
        await kernel.shutDown()
    }

    @Test func `a GET that a server swallowed on a kept connection succeeds, on its second attempt`() async throws {
        let server = try LoopbackServer(.closedInsteadOfSecondResponse())
        let kernel = try Kernel(configuration: Configuration())
        defer { server.stop() }

        _ = try await kernel.send(Request(.get, server.url())).body.text()
        let response = try await kernel.send(Request(.get, server.url("/again")))
        let text = try await response.body.text()

        #expect(text == "kept")
        #expect(response.attempts == 2)
        #expect(server.requests.filter { $0.target == "/again" }.count == 2)
        await kernel.shutDown()
    }

    private func code(_ work: () async throws -> Response) async -> PlugboardError.Code? {
        do {
            _ = try await work()
            return nil
        } catch {
            return (error as? PlugboardError)?.code
        }
    }
}

/// Records the pieces that one attempt gets.
private final class Reader: PullReceiver {
    private let name: String
    private let record: Record

    init(_ name: String, _ record: Record) { (self.name, self.record) = (name, record) }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        if case .bytes(let bytes) = piece { record.add("\(name) \(bytes.text)") }
        return true
    }
}
