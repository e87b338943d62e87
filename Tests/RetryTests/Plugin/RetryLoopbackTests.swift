import Plugboard
import PlugboardRetry
import PlugboardRetryOptions
import TestSupport
import Testing

/// libcurl against servers that fail.
struct RetryLoopbackTests {
    @Test(arguments: Linkage.allCases)
    func `a server that is unavailable for a moment gets the request again`(linkage: Linkage) async throws {
        let server = try LoopbackServer(
            .inTurn(
                .raw("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbusy"),
                .responding { _ in ServerResponse(body: "served") }))
        defer { server.stop() }
        let kernel = try linkage.kernel(retryPlugin(), settings: ["delay": "1ms"])

        let response = try await kernel.send(Request(.get, server.url()))

        #expect(try await response.body.text() == "served")
        #expect(response.attempts == 2)
    }

    @Test(arguments: Linkage.allCases, [Script.resetBeforeAnyByte(), .closedBeforeAnyByte()])
    func `a connection lost before a response is repeated for an idempotent method`(
        linkage: Linkage, script: Script
    ) async throws {
        let server = try LoopbackServer(.inTurn(script, .responding { ServerResponse(body: $0.body) }))
        defer { server.stop() }
        let kernel = try linkage.kernel(retryPlugin(), settings: ["delay": "1ms"])

        let response = try await kernel.send(Request(.put, server.url(), body: .text("hello")))

        #expect(try await response.body.text() == "hello")
        #expect(server.requests.map(\.text) == ["hello", "hello"])
    }

    @Test(arguments: Linkage.allCases)
    func `a POST that may have been processed is not repeated`(linkage: Linkage) async throws {
        let server = try LoopbackServer(
            .inTurn(.resetBeforeAnyByte(), .responding { _ in ServerResponse(body: "twice") }))
        defer { server.stop() }
        let kernel = try linkage.kernel(retryPlugin(), settings: ["delay": "1ms"])

        let error = await #expect(throws: PlugboardError.self) {
            try await kernel.send(Request(.post, server.url(), body: .text("order")))
        }

        #expect(error?.code == .transportReset)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `a refused connection is repeated even for a POST, because nothing was sent`(linkage: Linkage) async throws {
        let port = try ClosedPort()
        let kernel = try linkage.kernel(retryPlugin(), settings: ["delay": "1ms", "attempts": 4])
        let news = News()

        let handle = kernel.begin(Request(.post, port.url(), body: .text("order"))) { news.add($0) }
        let error = await #expect(throws: PlugboardError.self) { try await handle.response }

        #expect(error?.code == .transportConnect && error?.attempt == 4)
        #expect(news.lines.last == "gaveUp 4 transport.connect attempts")
        withExtendedLifetime(port) {}
    }

    @Test(arguments: Linkage.allCases)
    func `a stream that has begun and cannot be rewound is not repeated`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(status: 503, fields: [("Retry-After", "1")]) }
        defer { server.stop() }
        let kernel = try linkage.kernel(retryPlugin(), settings: ["delay": "1ms"])
        let news = News()

        let handle = kernel.begin(Request(.put, server.url(), body: Body(PiecesSource(["one", "two"])))) {
            news.add($0)
        }
        let response = try await handle.response

        #expect(response.status == 503)
        #expect(news.lines == ["gaveUp 1 503 body"])
        #expect(server.requests.map(\.text) == ["onetwo"])
    }

    @Test(arguments: Linkage.allCases)
    func `a server that does not respond gets the request again after the idle timeout`(linkage: Linkage) async throws {
        let server = try LoopbackServer(
            .inTurn(.silenceBeforeHead(), .responding { _ in ServerResponse(body: "awake") }))
        defer { server.stop() }
        let kernel = try linkage.kernel(retryPlugin(), settings: ["delay": "1ms"])
        var request = Request(.get, server.url())
        request.options.idleTimeout = .milliseconds(50)

        let response = try await kernel.send(request)

        #expect(try await response.body.text() == "awake")
    }

    @Test(arguments: Linkage.allCases)
    func `a replaced response is drained, so that its connection serves the next attempt`(
        linkage: Linkage
    ) async throws {
        let server = try LoopbackServer(
            Script { connection in
                let first = try connection.readRequest()
                try connection.respond(
                    ServerResponse(status: 503, body: String(repeating: "x", count: 10_000)), to: first)
                try connection.respond(ServerResponse(body: "served"), to: connection.readRequest())
            })
        defer { server.stop() }
        let kernel = try linkage.kernel(retryPlugin(), settings: ["delay": "20ms"])

        let response = try await kernel.send(Request(.get, server.url()))

        #expect(try await response.body.text() == "served")
        #expect(server.requests.count == 2)
    }
}
