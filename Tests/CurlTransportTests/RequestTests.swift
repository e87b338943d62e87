import PlugboardTransport
import TestSupport
import Testing

@testable import PlugboardCurl

@Suite struct RequestTests {
    @Test func `a request has its own fields and those that frame it, and no others`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "hello") }
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(
            .get, server.url("/a/../b?c=d#e"), fields: Fields(["X-One": "1", "x-one": "2"]))

        #expect(outcome.text == "hello")
        let head = String(latin1: try #require(server.requests.first).head)
        #expect(head == "GET /a/../b?c=d HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nX-One: 1\r\nx-one: 2\r\n\r\n")
    }

    @Test func `fields go out byte for byte, empty ones too`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let client = Client()
        defer { server.stop() }

        _ = try await client.send(
            .get, server.url(),
            fields: Fields([
                "X-Empty": "", "X-Blank": "  ", "Host": "other.test", "Accept": "text/plain", "X-Text": "é; x",
            ]))

        let request = try #require(server.requests.first)
        #expect(request["Host"] == "other.test")
        #expect(request["Accept"] == "text/plain")
        #expect(request.values("X-Empty") == [""])
        #expect(request.values("X-Blank") == [""])
        #expect([UInt8](latin1: try #require(request["X-Text"])) == Array("é; x".utf8))
    }

    @Test(
        arguments: [
            ("GET", nil, nil), ("DELETE", nil, nil), ("OPTIONS", nil, nil), ("get", nil, nil), ("PURGE", nil, nil),
            ("POST", nil, "0"), ("PUT", nil, "0"), ("PATCH", nil, "0"), ("POST", "text", "4"), ("PUT", "", "0"),
            ("GET", "query", "5"), ("DELETE", "all", "3"), ("X-Own", "1", "1"),
        ] as [(String, String?, String?)])
    func `a method is sent as named, with the length it needs`(
        method: String, body: String?, length: String?
    ) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "done") }
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(Method(method), server.url(), body: body.map { .text($0) })
        _ = try await client.send(.get, server.url())

        #expect(outcome.text == "done")
        let requests = server.requests
        #expect(requests[0].method == method)
        #expect(requests[0]["Content-Length"] == length)
        #expect(requests[0].text == body ?? "")
        #expect(requests[0]["Content-Type"] == nil)
        #expect(requests[0]["Expect"] == nil)
        #expect(requests[1].method == "GET")
        #expect(requests[1]["Content-Length"] == nil)
        #expect(requests[1].connection == requests[0].connection)
    }

    @Test func `a body of unknown length is sent with the chunked coding and its trailers`() async throws {
        let server = try LoopbackServer.responding { request in ServerResponse(body: request.text) }
        let client = Client()
        let source = PiecesSource(["one ", "two ", "three"], trailers: Fields(["X-Sum": "3"]))
        defer { server.stop() }

        let outcome = try await client.send(.post, server.url(), body: Body(source))

        #expect(outcome.text == "one two three")
        let request = try #require(server.requests.first)
        #expect(request["Transfer-Encoding"] == "chunked")
        #expect(request["Content-Length"] == nil)
        #expect(request.trailers.map(\.value) == ["3"])
    }

    @Test(arguments: [("X-Sum", "1\r\n\r\nGET /second HTTP/1.1"), ("X Sum", "1"), ("", "1")])
    func `invalid trailers are an error, and no trailer is sent`(name: String, value: String) async throws {
        let server = try LoopbackServer.responding { request in ServerResponse(body: request.text) }
        let client = Client()
        var trailers = Fields()
        trailers.append(FieldName(name), value)
        defer { server.stop() }

        let outcome = try await client.send(.post, server.url(), body: Body(PiecesSource(["one "], trailers: trailers)))

        #expect(outcome.error?.code == .requestField)
        #expect(server.requests.allSatisfy { $0.trailers.isEmpty && $0.target != "/second" })
    }

    @Test func `an empty Content-Length of a request without a body sends none`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let client = Client()
        defer { server.stop() }

        _ = try await client.send(.post, server.url())
        _ = try await client.send(.post, server.url(), fields: Fields(["Content-Length": ""]))

        #expect(server.requests.map { $0["Content-Length"] } == ["0", nil])
    }

    @Test func `a caller may demand the chunked coding, or give the length of a stream`() async throws {
        let server = try LoopbackServer.responding { request in ServerResponse(body: request.text) }
        let client = Client()
        defer { server.stop() }

        let chunked = try await client.send(
            .post, server.url(), fields: Fields(["Transfer-Encoding": "chunked"]), body: .text("known"))
        let sized = try await client.send(
            .post, server.url(), fields: Fields(["Content-Length": "6"]), body: Body(PiecesSource(["un", "told"])))

        #expect(chunked.text == "known")
        #expect(sized.text == "untold")
        #expect(server.requests[0].values("Transfer-Encoding") == ["chunked"])
        #expect(server.requests[0]["Content-Length"] == nil)
        #expect(server.requests[1].values("Content-Length") == ["6"])
    }

    @Test func `a large body arrives whole, whatever pieces it comes in`() async throws {
        let server = try LoopbackServer.responding { request in ServerResponse(body: request.body) }
        let client = Client()
        let letters = Script.letters(3_000_000)
        let pieces = stride(from: 0, to: letters.count, by: 70_001).map {
            Bytes(Array(letters[$0..<min($0 + 70_001, letters.count)]))
        }
        defer { server.stop() }

        let whole = try await client.send(.put, server.url(), body: .bytes(letters))
        let streamed = try await client.send(
            .put, server.url(),
            body: .stream(
                AsyncStream {
                    for piece in pieces { $0.yield(piece) }; $0.finish()
                }))

        #expect(whole.body == Bytes(letters))
        #expect(streamed.body == Bytes(letters))
    }

    @Test func `a source that does not keep to its length is an error`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let client = Client()
        defer { server.stop() }

        let short = try await client.send(.post, server.url(), body: Body(PiecesSource(["abc"], length: 5)))
        let long = try await client.send(.post, server.url(), body: Body(PiecesSource(["abc", "def"], length: 5)))
        let broken = try await client.send(
            .post, server.url(),
            body: Body(PiecesSource(["abc"], failure: PlugboardError(.bodyRead, "The disk is on fire."))))

        #expect(short.error?.code == .bodyRead)
        #expect(long.error?.code == .bodyRead)
        #expect(broken.error?.reason == "The disk is on fire.")
    }

    @Test(arguments: [
        ("X-Break", "secret\r\nX-Smuggled: 1"), ("X-Feed", "secret\nx"), ("X-Nul", "secret\0"), ("X Space", "secret"),
        ("", "secret"), ("X-Colon:", "secret"), ("Content-Length", "secret"), ("Transfer-Encoding", "secret"),
        ("Content-Length", "5"), ("Transfer-Encoding", "chunked"),
    ])
    func `a field that cannot be sent is refused before anything is`(name: String, value: String) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let client = Client()
        var fields = Fields()
        fields.append(FieldName(name), value)
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url(), fields: fields)

        #expect(outcome.error?.code == .requestField)
        #expect(outcome.error?.description.contains("secret") == false)
        #expect(server.connectionCount == 0)
    }

    @Test func `a method that is not a token, or a HEAD with a body, is refused`() async throws {
        let client = Client()

        let token = try await client.send("GET /\r\n", "http://127.0.0.1/")
        let head = try await client.send(.head, "http://127.0.0.1/", body: .text("x"))

        #expect(token.error?.code == .requestOption)
        #expect(head.error?.code == .requestOption)
    }

    @Test func `a body with the caller's own Expect waits for the interim response`() async throws {
        let server = try LoopbackServer.responding { request in ServerResponse(body: request.text) }
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(
            .post, server.url(), fields: Fields(["Expect": "100-continue"]), body: .text("patient"))

        #expect(outcome.text == "patient")
        #expect(outcome.record.notes as [AttemptRecord.Note] == [.interim(100), .head(200), .ended(nil)])
    }

    @Test func `a response may arrive before the request's body is sent`() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            try connection.respond(status: 413, fields: [("Connection", "close")], body: "too much")
            try connection.waitForClose()
        }
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.post, server.url(), body: .bytes(Script.letters(30_000_000)))

        #expect(outcome.status == 413)
        #expect(outcome.text == "too much")
    }

    @Test(arguments: [nil, RequestOptions.HTTPVersion.http2PriorKnowledge])
    func `a head that is longer than libcurl allows is told as the request's`(
        version: RequestOptions.HTTPVersion?
    ) async throws {
        let server = try LoopbackServer(
            version == nil
                ? .responding { _ in ServerResponse() }
                : .http2 { connection in _ = try connection.readRequest() })
        let client = Client()
        var options = RequestOptions()
        options.httpVersion = version
        defer { server.stop() }

        // Each is as long as every libcurl takes it.
        var fields = Fields()
        for number in 1...4 { fields.append(FieldName("X-\(number)"), String(repeating: "x", count: 300_000)) }

        let outcome = try await client.send(.get, server.url(), fields: fields, options: options)

        #expect(outcome.error?.code == .requestField)
        #expect(outcome.error?.reason.contains("1 MiB") == true, "\(outcome.error as Any)")
        #expect(server.requests.isEmpty)
    }

    @Test(.enabled(if: CurlAbilities.current.fieldSizeLimit != nil, "this libcurl has no such limit"))
    func `a field that libcurl would leave out is refused, and one byte less is sent`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let client = Client()
        let limit = try #require(CurlAbilities.current.fieldSizeLimit)
        defer { server.stop() }

        let refused = try await client.send(
            .get, server.url(), fields: ["X-Long": String(repeating: "x", count: limit + 1)])
        let sent = try await client.send(.get, server.url(), fields: ["X-Long": String(repeating: "x", count: limit)])

        #expect(refused.error?.code == .requestField && refused.error?.reason.contains("X-Long") == true)
        #expect(sent.error == nil)
        #expect(server.requests.map { $0["X-Long"]?.utf8.count } == [limit])
    }
}
