import Foundation
import TestSupport
import Testing

/// What `--trace`, `--stderr` and `--raw` show.
struct TraceTests {
    private let server: LoopbackServer
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer.responding { _ in ServerResponse(body: "content") }
    }

    /// Runs `plugboard get` with options in the folder.
    private func get(_ options: String) async throws -> ProcessRunner.Outcome {
        try await Command.shell("cd '\(folder.path)' && exec \"$plugboard\" get \(options) \(server.url("/page.html"))")
    }

    private func text(_ name: String) throws -> String { String(decoding: try folder.read(name), as: UTF8.self) }

    @Test func `errors and notes go to a file`() async throws {
        let outcome = try await get("-v --stderr notes")

        #expect(outcome.status == 0 && outcome.stderr.isEmpty && outcome.stdout == "content")
        #expect(try text("notes").contains("> GET /page.html HTTP/1.1"))
    }

    @Test func `a trace has what is sent and received, and no secrets`() async throws {
        let outcome = try await get("--trace-ascii trace -u ada:geheim -d body -X POST")
        let trace = try text("trace")

        #expect(outcome.status == 0 && outcome.stdout == "content", "\(outcome.stderr)")
        for line in [
            "== Info: Connected to", "=> Send header, ", "0000: POST /page.html HTTP/1.1",
            ": Authorization: <redacted>",
            "=> Send data, 4 bytes (0x4)\n0000: body\n", "<= Recv header, 17 bytes (0x11)\n0000: HTTP/1.1 200 OK\n",
            "<= Recv data, 7 bytes (0x7)\n0000: content\n",
        ] {
            #expect(trace.contains(line), "\(line) in \(trace)")
        }
        #expect(!trace.contains("YWRhOmdlaGVpbQ"))
    }

    @Test(arguments: [("get", "-v --trace-ascii"), ("get", "--trace -v"), ("curl", "-v --trace-ascii")])
    func `a trace has the whole log instead of -v`(verb: String, options: String) async throws {
        let line = options.hasSuffix("-v") ? "--trace trace -v" : "\(options) trace"
        let outcome = try await Command.shell(
            "cd '\(folder.path)' && exec \"$plugboard\" \(verb) \(line) \(server.url("/page.html"))")

        #expect(outcome.status == 0 && outcome.stderr.isEmpty && outcome.stdout == "content", "\(outcome.stderr)")
        #expect(try text("trace").contains("=> Send header, "))
    }

    @Test(.enabled(if: Command.hasTerminals), arguments: ["--trace-ascii -", "--etag-save -"])
    func `what a server sends does not control a terminal`(option: String) async throws {
        let strange = try LoopbackServer.responding { _ in
            ServerResponse(fields: [("ETag", "\"a\u{9B}2Jb\"")], body: "a\u{1B}[31mb")
        }

        let shown = try await Command.onTerminal("get \(strange.url()) \(option)")

        #expect(shown.contains("b\""), "\(shown)")
        #expect(!shown.contains("\u{9B}") && !shown.contains("\u{1B}[31m"), "\(shown.debugDescription)")
    }

    @Test func `a trace of bytes has them in digits`() async throws {
        _ = try await get("--trace trace")

        #expect(try text("trace").contains("0000: 63 6f 6e 74 65 6e 74                            content\n"))
    }

    @Test(arguments: ["get", "curl"])
    func `a body in chunks stays so`(verb: String) async throws {
        let chunked = try LoopbackServer(.chunked(["four", "three"]))

        let outcome = try await Command.run(verb, chunked.url(), "--raw")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout == "4\r\nfour\r\n5\r\nthree\r\n0\r\n\r\n", "\(outcome.stdout.debugDescription)")
    }

    @Test func `content that is coded stays so`() async throws {
        let coded = try LoopbackServer.responding { _ in
            ServerResponse(fields: [("Content-Encoding", "gzip")], body: "no gzip")
        }

        let outcome = try await Command.run("get", coded.url(), "--compressed", "--raw")

        #expect(outcome.status == 0 && outcome.stdout == "no gzip", "\(outcome.stderr)")
        #expect(coded.requests.first?["Accept-Encoding"] == "deflate, gzip, br, zstd")
    }
}
