import Foundation
import TestSupport
import Testing

/// Which parts of request and response are printed.
struct PrintTests {
    private static let json = #"{"b":12345678901234567890.10, "a":"\u00e9\/","a":[],"c":{ },"d":[1,true]}"#
    private static let laidOut = """
        {
          "b": 12345678901234567890.10,
          "a": "\\u00e9\\/",
          "a": [],
          "c": {},
          "d": [
            1,
            true
          ]
        }

        """
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer.responding { request in
            request.path == "/missing"
                ? ServerResponse(status: 404, body: "nothing")
                : ServerResponse(
                    fields: [("Content-Type", "application/json"), ("X-Kind", "k"), ("Set-Cookie", "s=geheim")],
                    body: PrintTests.json)
        }
    }

    @Test func `the letters of --print choose the parts`() async throws {
        func printed(_ letters: String) async throws -> String {
            let outcome = try await Command.run("post", server.url("/a?b=1"), "c=2", "--print", letters)
            #expect(outcome.status == 0, "\(outcome.stderr)")
            return outcome.stdout
        }

        let head = try await printed("H")
        #expect(head.hasPrefix("POST /a?b=1 HTTP/1.1\nHost: 127.0.0.1:"))
        #expect(head.hasSuffix("Content-Type: application/json\nContent-Length: 9\n\n"), "\(head)")
        #expect(try await printed("B") == "{\"c\":\"2\"}\n")
        #expect(try await printed("h").contains("X-Kind: k\r\n"))
        #expect(try await printed("b") == PrintTests.json)
        let all = try await printed("HBhb")
        #expect(all.hasPrefix("POST /a") && all.contains("\n\n{\"c\":\"2\"}\nHTTP/1.1 200"), "\(all)")
        #expect(all.hasSuffix("\r\n\r\n" + PrintTests.json))
    }

    @Test func `the printed request has what plugins add, and secrets only when they are asked for`() async throws {
        let arguments = ["get", server.url("/a"), "-u", "ada:geheim", "--compressed", "--print", "H"]

        let hidden = try await Command.running(arguments)
        let shown = try await Command.running(arguments + ["--show-secrets"])

        #expect(hidden.stdout.contains("Accept-Encoding: ") && hidden.stdout.contains("Authorization: <redacted>\n"))
        #expect(shown.stdout.contains("Authorization: Basic \(Data("ada:geheim".utf8).base64EncodedString())\n"))
    }

    @Test func `offline the request is printed as a server would see it, and nothing is sent`() async throws {
        let raw = try await Command.run("put", server.url("/a b"), "c=2", "X-A:1", "--offline")
        let sent = try await Command.run("put", server.url("/a b"), "c=2", "X-A:1", "--print", "HB")

        #expect(raw.status == 0 && raw.stderr.isEmpty, "\(raw.stderr)")
        #expect(raw.stdout == sent.stdout)
        #expect(raw.stdout.hasSuffix("X-A: 1\nContent-Length: 9\n\n{\"c\":\"2\"}\n"), "\(raw.stdout)")
        #expect(server.requests.count == 1)
    }

    @Test func `standard input is sent and printed`() async throws {
        let outcome = try await Command.run("post", server.url(), "--json", "-", "--print", "B", input: "[1]")

        #expect(outcome.stdout == "[1]\n")
        #expect(server.requests.last?.text == "[1]")
    }

    @Test(arguments: [
        ("format", laidOut), ("none", json),
        ("colors", "{\u{1B}[34m\"b\"\u{1B}[0m:\u{1B}[36m12345678901234567890.10\u{1B}[0m, \u{1B}[34m\"a\""),
        ("all", "{\n  \u{1B}[34m\"b\"\u{1B}[0m: \u{1B}[36m12345678901234567890.10\u{1B}[0m,\n"),
    ])
    func `--pretty decides about JSON in a pipe`(form: String, beginning: String) async throws {
        let outcome = try await Command.run("get", server.url(), "--pretty", form)

        let isWhole = ["format", "none"].contains(form)
        #expect(isWhole ? outcome.stdout == beginning : outcome.stdout.contains(beginning), "\(outcome.stdout)")
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `JSON on a terminal keeps the digits, the escapes, the order and the keys that came`() async throws {
        let shown = try await Command.onTerminal("get \(server.url())", environment: ["NO_COLOR": "1"])

        #expect(shown == PrintTests.laidOut)
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `a terminal gets JSON as it came with --pretty=none, and secrets with --show-secrets`() async throws {
        let plain = try await Command.onTerminal("get \(server.url()) --pretty none")
        let secret = try await Command.onTerminal("get \(server.url()) --print h --show-secrets")
        let hidden = try await Command.onTerminal("get \(server.url()) --print h")

        #expect(plain == PrintTests.json)
        #expect(secret.contains("Set-Cookie: s=geheim") && hidden.contains("Set-Cookie: <redacted>"))
    }

    @Test func `--check-status is another name of --fail-with-body`() async throws {
        let outcome = try await Command.run("get", server.url("/missing"), "--check-status")

        #expect(outcome.status == 22 && outcome.stdout == "nothing")
    }

    @Test(arguments: [["--print", "x"], ["--pretty", "pink"], ["--offline", "--print-curl"]])
    func `what cannot be printed is a usage error`(options: [String]) async throws {
        let outcome = try await Command.running(["get", server.url()] + options)

        #expect(outcome.status == 2 && server.requests.isEmpty)
    }
}
