import PlugboardTransport
import TestSupport
import Testing

@testable import PlugboardCurl

@Suite struct ResponseTests {
    @Test func `fields keep their order, duplicates and bytes`() async throws {
        let server = try LoopbackServer(
            .rawFields([
                Array("Set-Cookie: a=1".utf8), Array("X-Wide:  \t v \t".utf8), Array("set-cookie: b=2".utf8),
                [0x58, 0x3A, 0xE9], Array("X-Empty:".utf8),
            ]))
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url())

        let fields = try #require(outcome.head).fields
        #expect(fields.map(\.name) == ["Content-Length", "Set-Cookie", "X-Wide", "set-cookie", "X", "X-Empty"])
        #expect(fields.values(.setCookie) == ["a=1", "b=2"])
        #expect(fields["X-Wide"] == "v")
        #expect(fields["X-Empty"] == "")
        fields.withField(4) { _, value in #expect(Array(value) == [0xE9]) }
    }

    @Test(arguments: [("Set-Cookie: a=\u{1}b", true), ("X-Other: a=\u{1}b", false)])
    func `a control character makes the response malformed, and in Set-Cookie only the cookie invalid`(
        line: String, isRead: Bool
    ) async throws {
        let server = try LoopbackServer(.raw("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 2\r\n\r\nok"))
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url())

        #expect((outcome.head?.fields[.setCookie] == "a=\u{1}b") == isRead)
        #expect(outcome.error?.code == (isRead ? nil : .transportProtocol))
    }

    @Test func `a control character is found wherever it stands in a value, and a tab is none`() {
        for count in 1...20 {
            for offset in 0..<count {
                for (byte, isRead) in [(0x01, false), (0x1F, false), (0x7F, false), (0x09, true), (0xFF, true)] {
                    var value = [UInt8](repeating: 0x80, count: count)
                    value[offset] = UInt8(byte)
                    var reader = HeadReader(byteLimit: 1000, fieldLimit: 10)
                    defer { reader.deallocate() }
                    _ = Array("HTTP/1.1 200 OK\r\n".utf8).withUnsafeBytes { reader.read($0) }

                    let step = (Array("X-A: ".utf8) + value + [0x0D, 0x0A]).withUnsafeBytes { reader.read($0) }

                    if case .more = step { #expect(isRead) } else { #expect(!isRead, "\(count), \(offset), \(byte)") }
                }
            }
        }
    }

    @Test func `ten thousand fields and a folded one are read`() async throws {
        let many = try LoopbackServer(.manyFields())
        let folded = try LoopbackServer(
            .raw(
                "HTTP/1.1 200 Fine by me\r\nX-Folded: one\r\n  two\r\n\tthree\r\nContent-Length: 2\r\n\r\nok"))
        let client = Client()
        defer { many.stop() }
        defer { folded.stop() }

        let manyOutcome = try await client.send(.get, many.url())
        let foldedOutcome = try await client.send(.get, folded.url())

        if CurlAbilities.current.fieldLimit == nil {
            #expect(manyOutcome.head?.fields.count == 10_001)
            #expect(manyOutcome.text == "many")
        } else {
            #expect(manyOutcome.error?.code == .transportProtocol)
        }
        #expect(foldedOutcome.head?.fields["X-Folded"] == "one two three")
        #expect(foldedOutcome.head?.reason == "Fine by me")
        #expect(foldedOutcome.text == "ok")
    }

    @Test(arguments: [
        "Content-Length: 2\r\n 0", "Content-Length:\r\n 2", "Transfer-Encoding: chunked\r\n , chunked",
        "Transfer-Encoding:\r\n chunked",
    ])
    func `a field that frames the message and is folded is malformed`(field: String) async throws {
        let server = try LoopbackServer(.raw("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n2\r\nok\r\n0\r\n\r\n"))
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url())

        #expect(outcome.error?.code == .transportProtocol)
        #expect(outcome.status == nil)
    }

    @Test func `Content-Length beside Transfer-Encoding is removed`() async throws {
        let server = try LoopbackServer(
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"))
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url())

        #expect(outcome.text == "ok")
        #expect(outcome.head?.fields["Content-Length"] == nil)
        #expect(outcome.head?.fields["Transfer-Encoding"] == "chunked")
    }

    @Test(arguments: [Script.endlessHead(), .endlessField()])
    func `a head without end is an error`(script: Script) async throws {
        let server = try LoopbackServer(script)
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url())

        #expect(outcome.error?.code == .transportProtocol)
    }

    @Test(arguments: MalformedResponse.allCases)
    func `a malformed response is an error, or is repaired as HTTP allows`(response: MalformedResponse) async throws {
        let server = try LoopbackServer(.malformed(response))
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url())

        switch response {
        case .foldedField:
            #expect(outcome.head?.fields["X-Folded"] == "one two")
        case .bareLineFeeds, .lengthAndChunked:
            #expect(outcome.text == "ok")
        case .headCutShort, .statusLineCutShort:
            #expect(outcome.head == nil)
            #expect(["transport.protocol", "transport.reset"].contains(outcome.error?.code.name))
        case .chunkSizeOfLetters, .chunkSizeOverflowing, .chunkTooLong:
            #expect(["transport.protocol", "body.cut"].contains(outcome.error?.code.name))
        default:
            #expect(outcome.error?.code == .transportProtocol)
            #expect(outcome.head == nil)
        }
    }

    @Test(arguments: [
        ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"), ("GET", "HTTP/1.1 204 No Content\r\n\r\n"),
        ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n"),
    ])
    func `responses to HEAD, and 204 and 304, have no body`(method: String, response: String) async throws {
        let server = try LoopbackServer { connection in
            while let _ = try? connection.readRequest() { try connection.write(response) }
        }
        let client = Client()
        defer { server.stop() }

        let first = try await client.send(Method(method), server.url())
        let second = try await client.send(Method(method), server.url())

        #expect(first.record.state.withLock { $0.body == nil })
        #expect(first.error == nil && second.error == nil)
        #expect(server.connectionCount == 1)
    }

    @Test func `interim responses are reported before the final response`() async throws {
        let server = try LoopbackServer(
            .interim(
                [ServerResponse(status: 103, fields: [("Link", "</a.css>")]), ServerResponse(status: 102)],
                then: ServerResponse(body: "final"))
        )
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url())

        #expect(outcome.record.notes == [.interim(103), .interim(102), .head(200), .ended(nil)])
        #expect(outcome.record.state.withLock { $0.interims.first?.fields["Link"] } == "</a.css>")
        #expect(outcome.head?.fields.contains("Link") == false)
        #expect(outcome.text == "final")
    }

    @Test func `trailers come with the body's end`() async throws {
        let server = try LoopbackServer(.chunked(["one", "two"], trailers: [("X-Sum", "2"), ("X-Other", "3")]))
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url())
        let again = try await client.send(.get, server.url())

        #expect(outcome.text == "onetwo")
        #expect(outcome.trailers.map(\.value) == ["2", "3"])
        #expect(outcome.head?.fields.contains("X-Sum") == false)
        #expect(again.trailers["X-Sum"] == "2")
        #expect(server.connectionCount == 1)
    }

    @Test(arguments: [
        Script.bodyCutShort(declared: 1000, sent: 10), .chunkedCutShort(["one"]),
        .chunkedCutShort(["one"], insideChunk: true), .resetInBody(declared: 1000, sent: 10),
    ])
    func `a body that is cut is broken`(script: Script) async throws {
        let server = try LoopbackServer(script)
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url())

        // A reset may overtake the head.
        if outcome.head == nil {
            #expect(outcome.error?.code == .transportReset)
        } else {
            #expect(outcome.error?.code == .bodyCut)
            #expect(outcome.record.notes.last == .ended(.bodyCut))
        }
        #expect(outcome.error?.reason.contains("127.0.0.1:\(server.port)") == true)
    }

    @Test func `a body may end with the connection, and one that is too long is cut to its length`() async throws {
        let untilClose = try LoopbackServer(.bodyUntilClose("all of it"))
        let tooLong = try LoopbackServer(.bodyTooLong(declared: 10, sent: 20))
        let client = Client()
        defer { untilClose.stop() }
        defer { tooLong.stop() }

        let first = try await client.send(.get, untilClose.url())
        let second = try await client.send(.get, tooLong.url())

        #expect(first.text == "all of it")
        #expect(first.error == nil)
        #expect(second.body?.count == 10)
        #expect(second.error == nil)
    }

    @Test(arguments: [Script.closedBeforeAnyByte(), .resetBeforeAnyByte(), .closedAtOnce()])
    func `a connection that ends without a response is a reset`(script: Script) async throws {
        let server = try LoopbackServer(script)
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url("/?secret"))

        #expect(outcome.error?.code == .transportReset)
        #expect(outcome.error?.description.contains("secret") == false)
        #expect(outcome.error?.underlying?.isEmpty == false)
    }

    @Test func `a host that cannot be reached is an error with its cause`() async throws {
        let closed = try ClosedPort()
        let client = Client()

        let refused = try await client.send(.get, closed.url("/?secret"))
        let unknown = try await client.send(.get, "http://unknown.invalid/?secret")
        var options = RequestOptions()
        options.proxy = "http://unknown.invalid:80"
        let proxy = try await client.send(.get, "http://127.0.0.1/", options: options)

        #expect(refused.error?.code == .transportConnect)
        #expect(unknown.error?.code == .transportDNS)
        #expect(proxy.error?.code == .transportProxy)
        #expect(refused.record.notes == [.ended(.transportConnect)])
        #expect(!"\(String(describing: refused.error))\(String(describing: unknown.error))".contains("secret"))
    }

    @Test func `a dead idle connection is replaced without an error`() async throws {
        let closed = Gate()
        let server = try LoopbackServer(.closedBetweenRequests(closed: closed))
        let client = Client()
        defer { server.stop() }

        let first = try await client.send(.get, server.url())
        try await closed.opened()
        let second = try await client.send(.get, server.url())

        #expect(first.text == "kept")
        #expect(second.text == "kept")
        #expect(server.connectionCount == 2)
    }
}
