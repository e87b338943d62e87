import PlugboardCurl
import PlugboardTransport
import TestSupport
import Testing

/// A request goes out once; what may be sent again is the kernel's decision.
@Suite struct SendingAgainTests {
    private static let clear: RequestOptions = {
        var options = RequestOptions()
        options.httpVersion = .http2PriorKnowledge
        return options
    }()

    @Test(arguments: [Method.get, .put, .post, "PATCH", .delete])
    func `a request that is lost on a kept connection is sent once, and reported as stale`(_ method: Method)
        async throws
    {
        let server = try LoopbackServer(.closedInsteadOfSecondResponse())
        let client = Client()
        defer { server.stop() }

        _ = try await client.send(.get, server.url())
        let body: Body? = method == .put || method == .post ? .text("once") : nil
        let again = try await client.send(method, server.url("/again"), body: body)

        #expect(again.error?.code == .transportStale)
        #expect(server.requests.filter { $0.target == "/again" }.count == 1)
    }

    @Test func `a request whose body cannot be rewound is reported as stale too`() async throws {
        let server = try LoopbackServer(.closedInsteadOfSecondResponse())
        let client = Client()
        defer { server.stop() }

        _ = try await client.send(.get, server.url())
        let again = try await client.send(.put, server.url(), body: Body(PiecesSource(["once"])))

        #expect(again.error?.code == .transportStale)
    }

    @Test func `a request is reported as stale when its connection is lost and no other can be opened`() async throws {
        let server = try LoopbackServer { connection in
            try connection.respond(ServerResponse(body: "kept"), to: connection.readRequest())
            _ = try connection.readRequest()
            connection.stopListening()
            connection.close()
        }
        let client = Client()
        defer { server.stop() }

        _ = try await client.send(.get, server.url())
        let again = try await client.send(.post, server.url(), body: .text("once"))

        #expect(again.error?.code == .transportStale)
    }

    @Test func `an attempt may ask for a connection of its own`() async throws {
        let server = try LoopbackServer.responding { request in ServerResponse(body: "\(request.connection)") }
        let client = Client()
        let record = AttemptRecord()
        defer { server.stop() }

        _ = try await client.send(.get, server.url())
        await client.onLoop {
            var request = AttemptRequest(method: .get, url: server.url(), fields: Fields(), options: RequestOptions())
            request.usesFreshConnection = true
            _ = client.transport.perform(request, observer: record, loop: client.loop)
        }
        let fresh = try await client.finish(record)

        #expect(fresh.text == "2")
    }

    @Test func `417 is the response, and the request is not sent again without Expect`() async throws {
        let server = try LoopbackServer { connection in
            while let request = try? connection.readHead() {
                try connection.respond(status: 417)
                if request["Expect"] == nil { return }
            }
        }
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(
            .post, server.url(), fields: Fields(["Expect": "100-continue"]), body: .text("body"))

        #expect(outcome.status == 417)
        #expect(outcome.error == nil)
        #expect(server.requests.count == 1)
    }

    @Test(
        arguments: [
            "Content-Length: 4\r\n\r\ngone", "Transfer-Encoding: chunked\r\n\r\n4\r\ngone\r\n0\r\n\r\n",
            "Connection: close\r\nContent-Length: 4\r\n\r\ngone", "\r\ngone",
        ], [true, false])
    func `417 comes with its body, however that is framed`(_ rest: String, isLengthKnown: Bool) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 417 Expectation Failed\r\n" + rest)
            if rest.hasPrefix("\r\n") { connection.close() } else { try connection.waitForClose() }
        }
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(
            .post, server.url(), fields: Fields(["Expect": "100-continue"]),
            body: isLengthKnown ? .text("body") : Body(PiecesSource(["body"])))

        #expect(outcome.status == 417)
        #expect(outcome.text == "gone")
        #expect(outcome.error == nil)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [Method.get, .post])
    func `a stream that was refused was not processed`(_ method: Method) async throws {
        let server = try LoopbackServer(
            .http2 { connection in
                try connection.refuse(connection.readRequest())
                try connection.connection.waitForClose()
            })
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(method, server.url(), options: Self.clear)

        let codes: [PlugboardError.Code?] =
            method == .post ? [.transportUnprocessed] : [.transportUnprocessed, .transportStale]
        #expect(codes.contains(outcome.error?.code))
    }

    @Test(
        .enabled(if: CurlAbilities.current.reusesClearHTTP2, "this libcurl keeps no such connections"),
        arguments: [Method.get, .post])
    func `a GOAWAY on a kept connection tells that a stream above its last was not processed`(
        _ method: Method
    ) async throws {
        let server = try LoopbackServer(
            .http2 { connection in
                try connection.respond(to: connection.readRequest())
                _ = try connection.readRequest()
                try connection.goAway(last: 1)
                try connection.connection.waitForClose()
            })
        let client = Client()
        defer { server.stop() }

        _ = try await client.send(.get, server.url(), options: Self.clear)
        let again = try await client.send(method, server.url("/again"), options: Self.clear)

        // libcurl's log is read only for what must not be sent twice.
        #expect(again.error?.code == (method == .post ? .transportUnprocessed : .transportStale))
    }

    @Test(
        .enabled(if: CurlAbilities.current.reusesClearHTTP2, "this libcurl keeps no such connections"),
        arguments: [Method.post])
    func `a GOAWAY on a kept connection that includes the stream tells it as stale`(_ method: Method) async throws {
        let server = try LoopbackServer(
            .http2 { connection in
                try connection.respond(to: connection.readRequest())
                try connection.goAway(last: connection.readRequest())
                connection.connection.close()
            })
        let client = Client()
        defer { server.stop() }

        _ = try await client.send(.get, server.url(), options: Self.clear)
        let again = try await client.send(method, server.url("/again"), options: Self.clear)

        #expect(again.error?.code == .transportStale)
    }

    @Test func `a POST above the last stream of a GOAWAY was not processed`() async throws {
        let server = try LoopbackServer(
            .http2 { connection in
                _ = try connection.readRequest()
                try connection.goAway(last: 0)
                try connection.connection.waitForClose()
            })
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.post, server.url(), options: Self.clear)

        #expect(outcome.error?.code == .transportUnprocessed)
    }

    @Test func `a GOAWAY instead of the first response of a connection is a reset, or stale`() async throws {
        let server = try LoopbackServer(
            .http2 { connection in
                _ = try connection.readRequest()
                try connection.goAway(last: 0)
                try connection.connection.waitForClose()
            })
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url(), options: Self.clear)

        // libcurl 7.88.1 ends with an error, and newer ones want to send it again.
        #expect([.transportReset, .transportStale].contains(outcome.error?.code))
    }
}
