import Foundation
import TestSupport
import Testing

struct OutputTests {
    private static let text = #"{"b":[1.50,true],"a":"é"}"#

    private func json() throws -> LoopbackServer {
        try LoopbackServer.responding { _ in
            ServerResponse(
                fields: [("Content-Type", "application/problem+json; charset=utf-8")], body: OutputTests.text)
        }
    }

    @Test func `without a terminal the body is written byte for byte`() async throws {
        let bytes = (0...255).map { UInt8($0) } + Array(OutputTests.text.utf8)
        let server = try LoopbackServer.responding { _ in
            ServerResponse(fields: [("Content-Type", "application/json")], body: bytes)
        }

        let outcome = try await Command.run("get", server.url())

        #expect(outcome.stdoutBytes == bytes)
        #expect(outcome.stderr.isEmpty)
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `a terminal gets JSON laid out, in colours`() async throws {
        let server = try json()

        let text = try await Command.onTerminal("get \(server.url())", environment: ["NO_COLOR": ""])

        #expect(text.contains("\u{1B}[34m\"b\"\u{1B}[0m: [\n"))
        #expect(text.contains("\u{1B}[36m1.50\u{1B}[0m,\n"))
    }

    @Test(.enabled(if: Command.hasTerminals), arguments: [["NO_COLOR": "1"], ["NO_COLOR": "", "TERM": "dumb"]])
    func `NO_COLOR and a terminal without control sequences take the colours away`(
        environment: [String: String]
    ) async throws {
        let server = try json()

        let text = try await Command.onTerminal("get \(server.url())", environment: environment)

        #expect(text == "{\n  \"b\": [\n    1.50,\n    true\n  ],\n  \"a\": \"é\"\n}\n")
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `a terminal gets both members of JSON with a key twice`() async throws {
        let server = try LoopbackServer.responding { _ in
            ServerResponse(fields: [("Content-Type", "application/json")], body: #"{"a":1,"a":2}"#)
        }

        let text = try await Command.onTerminal("get \(server.url())", environment: ["NO_COLOR": "1"])

        #expect(text == "{\n  \"a\": 1,\n  \"a\": 2\n}\n")
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `a terminal without control sequences gets no progress`() async throws {
        let server = try json()
        let folder = try TemporaryFolder()

        let text = try await Command.onTerminal(
            "get \(server.url()) -o '\(folder.file("body"))'", environment: ["TERM": "dumb"])

        #expect(text.isEmpty, "\(text.debugDescription)")
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `a terminal gets no binary bytes`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: [27, 0, 7]) }

        let text = try await Command.onTerminal("get \(server.url())")

        #expect(text.contains("Use -o FILE"))
        #expect(!text.contains("\u{1B}"))
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `a file gets its progress bar on the terminal`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "0123456789") }
        let folder = try TemporaryFolder()

        let shown = try await Command.onTerminal("get \(server.url()) -o \(folder.file("body"))")
        let silent = try await Command.onTerminal("get \(server.url()) -s -o \(folder.file("body"))")

        #expect(shown.contains("100 %  10 B of 10 B"))
        #expect(silent.isEmpty)
    }

    @Test func `the body goes to a file`() async throws {
        let server = try json()
        let folder = try TemporaryFolder()
        try folder.write("body", "something longer that stood here before, and must be gone")

        let outcome = try await Command.run("get", server.url(), "--output", folder.file("body"))

        #expect(outcome.stdout.isEmpty && outcome.stderr.isEmpty)
        #expect(try folder.read("body") == Array(OutputTests.text.utf8))
    }

    @Test func `the head comes before the body where it is asked for`() async throws {
        let server = try LoopbackServer(
            .raw(
                Array("HTTP/1.1 201 Made\r\nX-Latin: caf".utf8) + [0xE9] + Array("\r\nContent-Length: 2\r\n\r\nok".utf8)
            ))

        let outcome = try await Command.run("get", server.url(), "-i")

        #expect(
            outcome.stdoutBytes == Array("HTTP/1.1 201 Made\r\nX-Latin: caf".utf8) + [0xE9]
                + Array("\r\nContent-Length: 2\r\n\r\nok".utf8))
    }

    @Test func `head writes the head`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(fields: [("X-A", "1")], body: "unseen") }

        let outcome = try await Command.run("head", server.url())

        #expect(outcome.stdout.hasPrefix("HTTP/1.1 200 "))
        #expect(outcome.stdout.contains("X-A: 1\r\n"))
        #expect(!outcome.stdout.contains("unseen"))
    }

    /// A head with secrets in a field and in the query of a URL, and with control characters.
    private static let trap = """
        HTTP/1.1 200 \u{1B}[31mFine\r
        Set-Cookie: id=hidden1\r
        Location: /ok?token=hidden2\r
        X-A: shown\r
        X-B: a\u{9B}b\u{202E}c\r
        Content-Length: 2\r
        \r
        ok
        """

    @Test func `verbose prints events to standard error, without secrets`() async throws {
        let server = try LoopbackServer(.raw(OutputTests.trap))

        let outcome = try await Command.run(
            "get", server.url("/?token=hidden3"), "-v", "-H", "Authorization: Bearer hidden4", "-H",
            "Referer: https://me:hidden5@a.test/?key=hidden6", "-H", "X-C: told", "-H",
            "X-Api-Key: hidden7")

        #expect(outcome.stdout == "ok")
        for part in [
            "> GET /?token=… HTTP/1.1\n", "> Host: 127.0.0.1:\(server.port)\n",
            "> Authorization: <redacted>\n", "> Referer: https://a.test/?key=…\n",
            "> X-C: told\n", "> X-Api-Key: <redacted>\n", "* Attempt 1 from its beginning: ",
            "< HTTP/1.1 200 \\u{1B}[31mFine\n",
            "< Set-Cookie: <redacted>\n",
            "< Location: /ok?token=…\n", "< X-A: shown\n", "< X-B: a\\u{9B}b\\u{202E}c\n",
        ] {
            #expect(outcome.stderr.contains(part), "\(part)")
        }
        #expect(!outcome.stderr.contains("hidden"))
        #expect(!outcome.stderr.unicodeScalars.contains { ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0) })
    }

    @Test func `verbose shows what plugins add, at each attempt`() async throws {
        let server = try LoopbackServer.responding { request in
            request.path == "/end"
                ? ServerResponse(body: "ok") : ServerResponse(status: 302, fields: [("Location", "/end")])
        }
        let plugins = try Command.loading("decode", "redirect")

        let outcome = try await ProcessRunner.running(
            [try Products.executable("plugboard"), "get", server.url("/start"), "-v"] + plugins)

        let sent = outcome.stderr.split(separator: "\n").filter { $0.hasPrefix("> ") }
        #expect(sent.filter { $0.hasPrefix("> GET ") } == ["/start", "/end"].map { "> GET \($0) HTTP/1.1" })
        #expect(sent.count { $0.lowercased().hasPrefix("> accept-encoding: ") } == 2, "\(outcome.stderr)")
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `a terminal gets a head without secrets, and the whole head only with -o -`() async throws {
        let server = try LoopbackServer(.raw(OutputTests.trap))

        let shown = try await Command.onTerminal("get \(server.url()) -i")
        let raw = try await Command.onTerminal("get \(server.url()) -i -o -")

        #expect(shown.hasPrefix("HTTP/1.1 200 \\u{1B}[31mFine\nSet-Cookie: <redacted>\nLocation: /ok?token=…\n"))
        #expect(shown.hasSuffix("X-B: a\\u{9B}b\\u{202E}c\nContent-Length: 2\n\nok"))
        for part in ["HTTP/1.1 200 \u{1B}[31mFine", "Set-Cookie: id=hidden1", "Location: /ok?token=hidden2"] {
            #expect(raw.contains(part))
        }
    }

    @Test func `timing says how long each step took`() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            // Long enough to show in tenths of milliseconds on any machine.
            try? connection.wait(for: gate, timeout: .milliseconds(50))
            try connection.respond(body: OutputTests.text)
        }

        let outcome = try await Command.run("get", server.url(), "--timing")

        #expect(outcome.stdout == OutputTests.text)
        let steps = outcome.stderr.split(separator: "\n").map { $0.split(separator: " ").map { String($0) } }
        #expect(steps.map { $0.first } == ["attempt", "nameLookup", "connect", "tls", "firstByte", "total"])
        let times = steps.dropFirst().compactMap { Double($0[1].dropLast(2)) }
        #expect(times.count == 5 && times[3] >= 50 && times[4] >= times[3])
    }

    @Test func `a closed pipe ends the command without a message`() async throws {
        let server = try LoopbackServer(.endlessBody())

        let outcome = try await Command.shell(
            #"{ "$plugboard" get "$url"; echo "status $?" >&2; } | head -c 5"#, ["url": server.url()])

        #expect(outcome.stdoutBytes.count == 5)
        #expect(outcome.stderr == "status 23\n")
    }
}
