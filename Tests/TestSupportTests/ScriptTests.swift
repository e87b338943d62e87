import TestSupport
import Testing

/// Each script against the `curl` command, whose exit status says what it met.
@Suite struct ScriptTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let script: Script
        let status: Int32
        var output: String?
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "body cut short", script: .bodyCutShort(declared: 10, sent: 4), status: 18, output: "abcd"),
        Case(name: "chunks cut short", script: .chunkedCutShort(["one", "two"]), status: 18, output: "onetwo"),
        Case(name: "chunk cut short", script: .chunkedCutShort(["one"], insideChunk: true), status: 18),
        Case(name: "reset in body", script: .resetInBody(declared: 10, sent: 4), status: 56),
        Case(name: "reset before any byte", script: .resetBeforeAnyByte(), status: 56),
        Case(name: "closed before any byte", script: .closedBeforeAnyByte(), status: 52),
        Case(name: "body too long", script: .bodyTooLong(declared: 3, sent: 8), status: 0, output: "abc"),
        Case(name: "body until close", script: .bodyUntilClose("to the end"), status: 0, output: "to the end"),
        Case(
            name: "trailers", script: .chunked(["one", "two"], trailers: [("X-T", "1")]), status: 0, output: "onetwo"),
        Case(name: "chunk size", script: .chunkSize("zz"), status: 56),
        Case(name: "garbage", script: .malformed(.garbage), status: 1),
        Case(name: "length of letters", script: .malformed(.lengthOfLetters), status: 8),
        Case(name: "unknown coding", script: .malformed(.codingUnknown), status: 61),
        // Newer versions of libcurl take 5,000.
        Case(name: "many fields", script: .manyFields(4_000), status: 0, output: "many"),
        Case(
            name: "interim heads",
            script: .interim(
                [ServerResponse(status: 103), ServerResponse(status: 103)], then: ServerResponse(body: "end")),
            status: 0, output: "end"),
    ]

    @Test(arguments: cases) func `a script does what its name says`(_ scene: Case) async throws {
        let server = try LoopbackServer(scene.script)

        let outcome = try await Curl.run(server.url())

        #expect(outcome.status == scene.status, "\(outcome.stderr)")
        if let output = scene.output { #expect(outcome.stdout == output) }
    }

    @Test func `silence in a body lasts until the client gives up`() async throws {
        let server = try LoopbackServer(.silenceInBody(declared: 10, sent: 4))

        let outcome = try await ProcessRunner.running(["curl", "--silent", "--max-time", "0.3", server.url()])
        try await server.endedConnections(atLeast: 1)

        #expect(outcome.status == 28)
        #expect(outcome.stdout == "abcd")
    }

    @Test(arguments: [Script.endlessHead(), .endlessField()])
    func `a head without end ends with the client's patience`(_ script: Script) async throws {
        let server = try LoopbackServer(script)

        let outcome = try await Curl.run(server.url())
        try await server.endedConnections(atLeast: 1)

        #expect(outcome.status != 0 && outcome.status != 28)
        #expect(server.failures.count == 1)
    }

    @Test func `a dribbled response arrives byte by byte as the gate admits it`() async throws {
        let gate = Gate()
        let response = ServerResponse(body: "slowly")
        let server = try LoopbackServer(.dribbled(response, gate: gate))
        async let outcome = Curl.run(server.url())

        _ = try await server.requests(atLeast: 1)
        for _ in response.bytes() { gate.admit() }

        #expect(try await outcome.stdout == "slowly")
    }

    @Test func `a connection closed between requests is not reused`() async throws {
        let closed = Gate()
        let server = try LoopbackServer(
            .inTurn(.closedBetweenRequests(closed: closed), .responding { _ in ServerResponse(body: "fresh") }))

        let first = try await Curl.run(server.url())
        try await closed.opened()
        let second = try await Curl.run(server.url())

        #expect(first.stdout == "kept")
        #expect(second.stdout == "fresh")
    }

    @Test func `header bytes go out raw`() async throws {
        let latin = try LoopbackServer(.latin1Field())
        let utf8 = try LoopbackServer(.utf8Field())

        let first = try await Curl.run("--include", latin.url())
        let second = try await Curl.run("--include", utf8.url())

        #expect(first.stdoutBytes.contains(0xe9))
        #expect(second.stdout.contains("X-UTF8: café – 咖啡\r\n"))
    }

    @Test(arguments: MalformedResponse.allCases)
    func `every malformed response is sent completely`(_ response: MalformedResponse) async throws {
        let server = try LoopbackServer(.malformed(response))

        let outcome = try await ProcessRunner.running(
            ["curl", "--silent", "--max-time", "20", "telnet://127.0.0.1:\(server.port)"],
            input: Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))

        #expect(outcome.stdoutBytes == response.bytes)
    }
}
