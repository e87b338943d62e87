import Foundation
import TestSupport
import Testing

/// Options of curl about how a response is received and kept, on the verbs that send.
struct ReceivingTests {
    private let server: LoopbackServer
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer.responding { request in
            let fields = [("ETag", "\"e1\""), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")]
            if request["If-None-Match"] == "\"e1\"" { return ServerResponse(status: 304, fields: fields) }
            if request["Range"] == "bytes=3-" {
                return ServerResponse(status: 206, fields: [("Content-Range", "bytes 3-6/7")], body: "tent")
            }
            if request["Range"] != nil { return ServerResponse(status: 416) }
            switch request.path {
            case "/missing": return ServerResponse(status: 404, body: "nothing")
            case "/named":
                let disposition = "attachment; filename=\"../n.txt\""
                return ServerResponse(fields: [("Content-Disposition", disposition)], body: "named")
            default: return ServerResponse(fields: fields, body: "content")
            }
        }
    }

    /// Runs `plugboard get` with options in the folder.
    private func get(_ options: String, _ path: String = "/page.html") async throws -> ProcessRunner.Outcome {
        try await Command.shell(
            "cd '\(folder.path)' && exec \"$plugboard\" get \(options) \(server.url(path))")
    }

    private func text(_ name: String) throws -> String { String(decoding: try folder.read(name), as: UTF8.self) }

    // MARK: Files

    @Test(arguments: ["-C -", "-C 3", "--continue-at 3"])
    func `a file is continued behind what it has`(options: String) async throws {
        try folder.write("page.html", "con")

        let outcome = try await get("-O \(options)")

        #expect(outcome.status == 0 && outcome.stdout.isEmpty, "\(outcome.stderr)")
        #expect(try text("page.html") == "content")
    }

    @Test func `a file that is complete stays, also with --fail`() async throws {
        try folder.write("page.html", "content")

        let outcome = try await get("-O -C - -f")

        #expect(try outcome.status == 0 && text("page.html") == "content", "\(outcome.stderr)")
    }

    @Test func `a range beside --continue-at is refused`() async throws {
        let outcome = try await get("-C 3 -r 0-1")

        #expect(outcome.status == 2 && outcome.stderr.contains("Give -C or -r"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test func `the server names the file, below the folder, and replaces none`() async throws {
        let first = try await get("-OJ", "/named")
        let second = try await get("-OJ", "/named")

        #expect(try first.status == 0 && folder.entries() == ["n.txt"] && text("n.txt") == "named")
        #expect(second.status == 23 && second.stderr.contains("n.txt cannot be written"), "\(second.stderr)")
    }

    @Test(arguments: ["", "--no-clobber"])
    func `the server names the file in the folder of --output-dir`(option: String) async throws {
        let outcome = try await get("-OJ --output-dir d --create-dirs \(option)", "/named")

        #expect(try outcome.status == 0 && text("d/n.txt") == "named", "\(outcome.stderr)")
    }

    @Test(arguments: ["-OJ --output-dir d", "-OJ --output-dir d --no-clobber", "-o d/ --no-clobber"])
    func `without a name of a file nothing is written into the folder`(options: String) async throws {
        try FileManager.default.createDirectory(atPath: folder.file("d"), withIntermediateDirectories: true)

        let outcome = try await get(options, "/")

        #expect(outcome.status == 23 && outcome.stderr.contains("d/ is no name of a file"), "\(outcome.stderr)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("d")).isEmpty)
    }

    @Test func `--no-clobber takes the next free name`() async throws {
        try folder.write("page.html", "mine")

        let outcome = try await get("-O --no-clobber -w '%{filename_effective}'")

        #expect(try text("page.html") == "mine" && text("page.html.1") == "content", "\(outcome.stderr)")
        #expect(outcome.stdout == "page.html.1")
    }

    @Test func `--no-clobber takes the next free name after that of the server, too`() async throws {
        try folder.write("n.txt", "mine")

        let outcome = try await get("-OJ --no-clobber", "/named")

        #expect(try text("n.txt") == "mine" && text("n.txt.1") == "named", "\(outcome.stderr)")
    }

    @Test func `the file has the time of the response`() async throws {
        _ = try await get("-RO")

        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("page.html"))
        #expect((attributes[.modificationDate] as? Date)?.timeIntervalSince1970 == 784_111_777)
    }

    @Test(arguments: [("", ["page.html"]), ("--remove-on-error", [])])
    func `the file of a transfer that failed is removed where an option says so`(
        option: String, names: [String]
    ) async throws {
        let cut = try LoopbackServer(.bodyCutShort(declared: 100, sent: 10))

        let outcome = try await Command.shell(
            "cd '\(folder.path)' && exec \"$plugboard\" get -O \(option) \(cut.url("/page.html"))")

        #expect(try outcome.status == 18 && folder.entries() == names, "\(outcome.stderr)")
    }

    @Test func `with --fail a response that is refused leaves no file`() async throws {
        let outcome = try await get("-fO", "/missing")

        #expect(try outcome.status == 22 && folder.entries() == [], "\(outcome.stderr)")
    }

    @Test func `a body that is too large is refused`() async throws {
        let outcome = try await get("-O --max-filesize 6")

        #expect(try outcome.status == 63 && folder.entries() == [], "\(outcome.stderr)")
    }

    @Test func `a limit of size that cannot be read is an error before anything is sent`() async throws {
        let outcome = try await get("--max-filesize 3x")

        #expect(outcome.status == 2 && outcome.stderr.contains("--max-filesize must be"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test func `a body whose size is not announced is cut where it is too large`() async throws {
        let chunked = try LoopbackServer(.chunked(["four", "four"]))

        let outcome = try await Command.run("get", chunked.url(), "--max-filesize", "6")

        #expect(outcome.status == 63, "\(outcome.stderr)")
    }

    // MARK: Conditions

    @Test func `a tag that was saved is compared, and what is the same stays`() async throws {
        let first = try await get("-O --etag-save tag --etag-compare tag")
        try folder.write("page.html", "kept")
        let second = try await get("-O --etag-save tag --etag-compare tag")

        #expect(first.status == 0 && second.status == 0, "\(first.stderr) \(second.stderr)")
        #expect(server.requests.map { $0["If-None-Match"] } == ["\"\"", "\"e1\""])
        #expect(try text("tag") == "\"e1\"\n" && text("page.html") == "kept")
    }

    @Test func `what is older than a date is not written`() async throws {
        let outcome = try await get("-z '6 Nov 2001 08:49:37 GMT'")

        #expect(outcome.status == 0 && outcome.stdout.isEmpty, "\(outcome.stderr)")
    }

    @Test func `nothing is written by a request that is only printed`() async throws {
        let outcome = try await get("-O -C - --etag-save tag -D head --offline")

        #expect(try outcome.status == 0 && folder.entries() == ["page.html"], "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test func `a printed request has the options of curl`() async throws {
        let line = try await get("-O --no-clobber --remove-on-error --max-filesize 1k --print-curl").stdout
        let continued = try await get("-O -C 3 --print-curl").stdout

        for option in ["-O", "--no-clobber", "--remove-on-error", "--max-filesize 1k"] {
            #expect(line.contains(" \(option) "), "\(line)")
        }
        #expect(continued.contains(" --continue-at 3 "), "\(continued)")
    }

    @Test(arguments: ["--remove-on-error", "--no-clobber", "-J"])
    func `what would destroy a file that is continued is refused`(option: String) async throws {
        try folder.write("page.html", "kept")

        let outcome = try await get("-O -C - \(option)")

        #expect(outcome.status == 2 && outcome.stderr.contains("cannot be combined"), "\(outcome.stderr)")
        #expect(try text("page.html") == "kept" && server.requests.isEmpty)
    }

    @Test func `-I shows the head also of another method`() async throws {
        let outcome = try await get("-I -X GET")

        #expect(outcome.status == 0 && outcome.stdout.hasPrefix("HTTP/1.1 200"), "\(outcome.stdout)")
        #expect(server.requests.map(\.method) == ["GET"] && outcome.stdout.hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: ["-m 0", "--connect-timeout 0", "--retry 1 --retry-delay 0", "--retry 1 --retry-max-time 0"])
    func `a time of 0 is no limit`(options: String) async throws {
        let outcome = try await get("-o file \(options)")

        #expect(outcome.status == 0, "\(outcome.stderr)")
    }

    // MARK: Speed

    @Test func `a transfer that is too slow ends with 28`() async throws {
        let gate = Gate()
        let slow = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            // Until the client closes the connection.
            while true {
                try connection.write("x")
                try? connection.wait(for: gate, timeout: .milliseconds(100))
            }
        }

        let outcome = try await Command.run("get", slow.url(), "-Y", "1000", "-y", "1")

        #expect(outcome.status == 28 && outcome.stderr.contains("slower than 1000 bytes a second"), "\(outcome.stderr)")
    }

    @Test func `each repetition has the time of -y again`() async throws {
        let count = Locked(0)
        let slow = try LoopbackServer { connection in
            _ = try connection.readRequest()
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            // The bytes of the second attempt are fewer than those that the first one had sent.
            if isFirst {
                try connection.write("HTTP/1.1 503 Busy\r\nContent-Length: 100000\r\n\r\n")
                try connection.write(String(repeating: "x", count: 100_000))
            } else {
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole")
            }
        }

        let outcome = try await Command.run(
            "get", slow.url(), "-Y", "1", "-y", "1", "--retry", "1", "--retry-delay", "2")

        #expect(outcome.status == 0 && outcome.stdout == "whole", "\(outcome.stderr)")
    }

    @Test(arguments: [["-y", "1"], ["-Y", "10", "-y", "1"]])
    func `a transfer in which nothing comes ends with 28`(options: [String]) async throws {
        let silent = try LoopbackServer(.silenceInBody(declared: 100, sent: 10))

        let outcome = try await Command.running(["get", silent.url()] + options)

        #expect(outcome.status == 28 && outcome.stdout.count == 10, "\(outcome.stderr)")
    }
}
