import TestSupport
import Testing

@Suite struct LoopbackServerTests {
    @Test func `a script reads the request and writes the response`() async throws {
        let server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            try connection.respond(status: 201, fields: [("X-Seen", request.target)], body: request.text)
        }

        let outcome = try await Curl.run("--include", "--data", "some words", server.url("/a?b=c"))

        #expect(outcome.stdout.hasPrefix("HTTP/1.1 201 Created\r\n"))
        #expect(outcome.stdout.contains("X-Seen: /a?b=c\r\n"))
        #expect(outcome.stdout.hasSuffix("\r\n\r\nsome words"))
        #expect(server.requests.map(\.method) == ["POST"])
        #expect(server.requests.first?["content-type"] == "application/x-www-form-urlencoded")
    }

    @Test func `a chunked request is joined after 100 Continue`() async throws {
        let server = try LoopbackServer.responding { request in ServerResponse(body: "\(request.body.count)") }

        let outcome = try await Curl.run(
            "--header", "Transfer-Encoding: chunked", "--header", "Expect: 100-continue",
            "--data", String(repeating: "x", count: 70_000), server.url())

        #expect(outcome.stdout == "70000")
    }

    @Test func `one connection carries many requests and a closing one ends it`() async throws {
        let server = try LoopbackServer.responding { request in
            request.target == "/last" ? ServerResponse(fields: [("Connection", "close")]) : ServerResponse(body: "more")
        }

        let outcome = try await Curl.run(server.url("/1"), server.url("/2"), server.url("/last"), server.url("/4"))

        #expect(outcome.status == 0)
        #expect(server.requests.map(\.connection) == [1, 1, 1, 2])
        #expect(server.connectionCount == 2)
    }

    @Test func `the response to HEAD has no body`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "twelve bytes") }

        let outcome = try await Curl.run("--head", server.url(), server.url())

        #expect(outcome.stdout.components(separatedBy: "Content-Length: 12").count == 3)
        #expect(server.connectionCount == 1)
    }

    @Test func `releasing the server interrupts its scripts and frees the port`() async throws {
        let gate = Gate()
        var server: LoopbackServer? = try LoopbackServer(.held(gate, then: ServerResponse()))
        let url = try #require(server?.url())
        async let waiting = Curl.run(url)
        _ = try await server?.requests(atLeast: 1)

        server = nil

        #expect(try await waiting.status == 52)
        #expect(try await Curl.run(url).status == 7)
    }

    @Test func `a server sees its client leave`() async throws {
        let server = try LoopbackServer(.silenceBeforeHead())

        let outcome = try await ProcessRunner.running(["curl", "--silent", "--max-time", "0.2", server.url()])
        try await server.endedConnections(atLeast: 1)

        #expect(outcome.status == 28)
        #expect(server.failures.isEmpty)
    }

    @Test func `a closed port refuses`() async throws {
        let closed = try ClosedPort()

        let outcome = try await Curl.run(closed.url())

        #expect(outcome.status == 7)
    }

    @Test func `bytes of a request are kept as they came`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let folder = try TemporaryFolder()
        let headers = try folder.write("headers", [UInt8](latin1: "X-Latin: caf\u{e9}"))

        _ = try await Curl.run("--header", "@\(headers)", server.url())

        #expect(server.requests.first?["X-Latin"] == "caf\u{e9}")
        #expect(server.requests.first?.head.contains(0xe9) == true)
    }
}
