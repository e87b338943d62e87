import Foundation
import PlugboardJSON
import PlugboardMessages
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCommand

struct DownloadCommandTests {
    let content = RangeServer.content(50_000)

    @Test func `download writes a file named after the URL, and does not replace one`() async throws {
        let server = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        let folder = try TemporaryFolder()
        let url = server.url("/a/na%20me.iso?token=x")

        let first = try await Command.run("download", url, "-o", folder.path)
        let second = try await Command.run("download", url, "-o", folder.path)
        let third = try await Command.run("download", url, "-o", folder.path, "--overwrite")

        #expect(first.status == 0 && second.status == 23 && third.status == 0, "\(first.stderr) \(third.stderr)")
        #expect(second.stderr.contains("--overwrite"))
        #expect(try folder.entries() == ["na me.iso"])
        #expect(try folder.read("na me.iso") == content)
        #expect(first.stdout.isEmpty)
    }

    @Test func `a download that broke is continued with resume`() async throws {
        let server = try RangeServer { [content] number, request in
            number <= 5 ? .init(200, [("ETag", "\"a\"")], content, cut: 10_000) : RangeServer.correct(request, content)
        }
        let folder = try TemporaryFolder()

        let broken = try await Command.run("download", server.url, "-o", folder.file("file"))
        let outcome = try await Command.run("download", server.url, "-o", folder.file("file"), "--resume")

        #expect(broken.status == 18 && broken.stderr.contains("--resume"), "\(broken.stderr)")
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(server.requests.last?["Range"] == "bytes=10000-")
        #expect(try folder.read("file") == content)
    }

    @Test func `a file that is complete already is confirmed with resume, by length, date and checksum`() async throws {
        let other = RangeServer.content(50_000, seed: 9)
        let date = Mutex("Sun, 06 Nov 1994 08:49:37 GMT")
        let server = try RangeServer { [content] _, request in
            var reply = RangeServer.correct(request, request.path == "/short" ? Array(content[..<9]) : content)
            reply.fields.append(("Last-Modified", date.withLock { $0 }))
            return reply
        }
        let folder = try TemporaryFolder()
        let list = try folder.write("list", "\(server.url("/1"))\n\(server.url("/2"))\n")
        func run(_ path: String, _ more: String...) async throws -> ProcessRunner.Outcome {
            try await Command.running(
                ["download", server.url(path), "-o", folder.file("file"), "--resume"] + more)
        }

        let first = try await run("/file")
        let again = try await run("/file", "--progress", "json")
        let verified = try await run("/file", "--checksum", "sha-256=\(Bytes(content).sha256)")
        let wrong = try await run("/file", "--checksum", "sha-256=\(Bytes(other).sha256)")
        let short = try await run("/short")
        date.withLock { $0 = "Fri, 06 Nov 2099 08:49:37 GMT" }
        let later = try await run("/file")
        date.withLock { $0 = "Sun, 06 Nov 1994 08:49:37 GMT" }
        var lists: [Int32] = []
        for _ in 0..<2 {
            let outcome = try await Command.run(
                "download", "--input-file", list, "-o", folder.path + "/", "--resume")
            lists.append(outcome.status)
        }

        #expect(first.status == 0 && again.status == 0 && verified.status == 0, "\(again.stderr) \(verified.stderr)")
        #expect(again.stdout.contains("\"wasComplete\":true") && verified.stderr.contains("complete already"))
        #expect(wrong.status == 23 && wrong.stderr.contains("SHA-256"), "\(wrong.stderr)")
        #expect(short.status == 23 && short.stderr.contains("has 9"), "\(short.stderr)")
        #expect(later.status == 23 && later.stderr.contains("modified later"), "\(later.stderr)")
        #expect(lists == [0, 0])
        #expect(try folder.read("file") == content)
        #expect(try folder.entries() == ["1", "2", "file", "list"])
    }

    @Test func `a mirror on another origin gets nothing of the command line's request`() async throws {
        let broken = try RangeServer { _, _ in .init(503) }
        let mirror = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        let folder = try TemporaryFolder()

        let outcome = try await Command.run(
            "download", broken.url, "-o", folder.file("file"), "--mirror", broken.url("/own"), "--mirror", mirror.url,
            "-H", "Authorization: Bearer secret", "-H", "X-Api-Key: secret", "-b", "a=secret",
            "--request-target", "/secret")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(broken.requests.allSatisfy { $0.path == "/secret" })
        #expect(mirror.requests.allSatisfy { $0.path == "/file" })
        let fields = ["Authorization", "X-Api-Key", "Cookie"]
        #expect(mirror.requests.allSatisfy { request in fields.allSatisfy { request[$0] == nil } })
        #expect(broken.requests.allSatisfy { request in fields.allSatisfy { request[$0] != nil } })
        #expect(!mirror.requests.isEmpty && broken.requests.count >= 2)
    }

    @Test func `a wrong checksum has a status of its own, and leaves nothing`() async throws {
        let server = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        let folder = try TemporaryFolder()
        let digest = "sha-256=" + String(repeating: "0", count: 64)

        let outcome = try await Command.run(
            "download", server.url, "-o", folder.file("file"), "--checksum", digest)

        #expect(outcome.status == 107)
        #expect(try folder.entries() == [])
    }

    @Test func `a mirror is asked when the first server fails`() async throws {
        let broken = try RangeServer { _, _ in .init(503) }
        let server = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        let folder = try TemporaryFolder()

        let outcome = try await Command.run(
            "download", broken.url, "-o", folder.file("file"), "--mirror", server.url)

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try folder.read("file") == content)
    }

    @Test func `many files come from a list, with progress as lines of JSON`() async throws {
        let server = try RangeServer { [content] _, request in
            request.path == "/2" ? .init(404) : RangeServer.correct(request, content)
        }
        let folder = try TemporaryFolder()
        let list = try folder.write("list", (1...6).map { server.url("/\($0)") + "\n" }.joined() + "# comment\n")

        let outcome = try await Command.run(
            "download", "--input-file", list, "-o", folder.path + "/", "--progress", "json")

        #expect(outcome.status == 22)
        for index in [1, 3, 4, 5, 6] { #expect(try folder.read("\(index)") == content) }
        let lines = try outcome.stdout.split(separator: "\n").map { try JSONParser.parse(String($0)) }
        #expect(lines.filter { $0["isComplete"] == true }.count == 5)
        #expect(lines.filter { $0["isComplete"] == false }.count == 1)
        // Each object tells which file it is about.
        #expect(
            lines.allSatisfy { line in
                (0..<6).contains {
                    line["index"] == .number(JSONNumber($0)) && line["url"] == .string(server.url("/\($0 + 1)"))
                }
            })
    }

    @Test func `a file in a folder has the name that the server gives`() async throws {
        let server = try RangeServer { _, request in
            .init(200, [("Content-Disposition", "attachment; filename*=UTF-8''%2E%2E%2Fa%20name")], [1, 2])
        }
        let folder = try TemporaryFolder()

        let first = try await Command.run("download", server.url, "-O", "-o", folder.path + "/")
        let second = try await Command.run("download", server.url, "-o", folder.path)
        let both = try await Command.run(
            "download", server.url("/1"), server.url("/2"), "--overwrite", "-o", folder.path)

        #expect(first.status == 0 && first.stderr.contains("a name"), "\(first.stderr)")
        #expect(second.status == 23 && second.stderr.contains("--overwrite"), "\(second.stderr)")
        // One of them has the name, and the other does not replace it.
        #expect(both.status == 23, "\(both.stderr)")
        #expect(try folder.read("a name") == [1, 2])
    }

    @Test func `a file is received in several parts, and verified`() async throws {
        let content = RangeServer.content(6 << 20)
        let gate = Gate()
        // The first response waits for requests with ranges, which the command sends after a moment.
        let server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            let reply = RangeServer.correct(request, content)
            guard reply.status == 200 else {
                gate.admit()
                return try RangeServer.send(reply, connection)
            }
            let fields = reply.fields + [("Content-Length", "\(content.count)")]
            try connection.write(
                Array(ServerResponse(status: 200, fields: fields, body: "").head.utf8) + content[..<99])
            try connection.wait(for: gate, count: 2)
            try connection.write(Array(content[99...]))
        }
        let folder = try TemporaryFolder()

        let outcome = try await Command.run(
            "download", server.url(), "-o", folder.file("file"), "--segments", "3", "--checksum",
            "sha-256=\(Bytes(content).sha256)")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try folder.read("file") == content)
        #expect(server.requests.filter { $0["Range"] != nil }.count >= 2)
    }

    @Test func `the files of a Metalink document are downloaded, from a file and from a URL`() async throws {
        let content = content
        let server = try RangeServer { _, request in
            request.path == "/list.meta4"
                ? .init(200, [], Array(DownloadCommandTests.metalink("b", "http://\(request["Host"] ?? "")/b").utf8))
                : RangeServer.correct(request, content)
        }
        let folder = try TemporaryFolder()
        let document = try folder.write("list", DownloadCommandTests.metalink("../a", server.url("/a")))

        let outcome = try await Command.run(
            "download", "--metalink", document, "--metalink", server.url("/list.meta4"), "-o", folder.path + "/")
        let damaged = try await Command.run("download", "--metalink", folder.file("a"), "-o", folder.path + "/")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try folder.read("a") == content && folder.read("b") == content)
        #expect(damaged.status == 23 && damaged.stderr.contains("Metalink"), "\(damaged.stderr)")
    }

    @Test func `what a Metalink document names gets credentials only at the document's own origin`() async throws {
        let other = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        let server = try RangeServer { _, request in
            request.path == "/list.meta4"
                ? .init(
                    200, [],
                    Array(DownloadCommandTests.metalink("a", "http://\(request["Host"] ?? "")/a", other.url).utf8))
                : .init(404)
        }
        let folder = try TemporaryFolder()
        let secrets = ["-H", "Authorization: Bearer T", "-H", "X-Key: T", "-b", "c=T"]

        let outcome = try await Command.running(
            ["download", "--metalink", server.url("/list.meta4"), "-o", folder.path + "/"] + secrets)
        let document = try folder.write("list", DownloadCommandTests.metalink("b", other.url))
        let local = try await Command.running(["download", "--metalink", document, "-o", folder.path + "/"] + secrets)

        #expect(outcome.status == 0 && local.status == 0, "\(outcome.stderr) \(local.stderr)")
        #expect(server.requests.count >= 2 && server.requests.allSatisfy { $0["Authorization"] == "Bearer T" })
        #expect(other.requests.count == 2)
        for name in ["Authorization", "X-Key", "Cookie"] { #expect(other.requests.allSatisfy { $0[name] == nil }) }
    }

    @Test func `a file that a document gives no usable digest of is named as not verified`() async throws {
        let server = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        let folder = try TemporaryFolder()
        let document = try folder.write("list", DownloadCommandTests.metalink("a", server.url))

        let outcome = try await Command.run("download", "--metalink", document, "-o", folder.path + "/")
        let json = try await Command.run(
            "download", "--metalink", document, "-o", folder.path + "/", "--overwrite", "--progress", "json")

        #expect(outcome.status == 0 && outcome.stderr.contains("Not verified"), "\(outcome.stderr)")
        let last = try JSONParser.parse(String(try #require(json.stdout.split(separator: "\n").last)))
        #expect(last["isVerified"] == false && last["note"]?.stringValue?.hasPrefix("Not verified") == true)
    }

    // MARK: Lines

    @Test(arguments: [1, 10, 20, 40, 60, 80, 100, 200])
    func `a line of the progress fits into the terminal`(columns: Int) {
        for name in [
            "a", String(repeating: "名", count: 40), "a name that is longer than its column.iso", "e\u{301}\u{1B}",
        ] {
            let count = TransferCount(done: 123_456_789, resumed: 5, total: 9_876_543_210)
            let line = TransferLine.of(name, count, after: .seconds(12), columns: columns)

            #expect(TransferLine.width(line) < max(columns, 2) && !line.contains("\n"))
            // In 80 columns nothing is left out but a part of the bar.
            #expect(columns < 80 || line.contains("/s") && line.contains("░"), "\(line)")
        }
    }

    @Test func `several files have a line of totals, which knows the bytes once all have begun`() {
        let ended = TransferCount(done: 10, resumed: 4, total: 0)
        let running = [TransferCount(done: 5, resumed: 1, total: 20), TransferCount(done: 0, resumed: 0, total: 30)]

        let all = TransferRows.totals(running, 1, ended, of: 3)
        let early = TransferRows.totals(running, 1, ended, of: 4)

        #expect(all?.name == "1 of 3 files" && all?.count.done == 15 && all?.count.total == 60)
        #expect(all?.count.resumed == 5 && early?.count.total == nil && early?.name == "1 of 4 files")
        #expect(TransferRows.totals([running[0]], 0, TransferCount(done: 0, resumed: 0, total: 0), of: 1) == nil)
    }

    @Test(arguments: [
        [], ["http://a.test/", "http://b.test/", "-o", "/absent"], ["http://a.test/x", "http://b.test/x"],
        ["http://a.test/", "--checksum", "md5=1"], ["http://a.test/", "--progress", "dots"],
        ["http://a.test/", "--parallel", "0"], ["http://a.test/", "--segments", "0"],
        ["http://a.test/", "--limit-rate", "fast"], ["--metalink", "x", "--checksum", "sha-256=1"],
        ["http://a.test/", "-O", "-o", "/absent/file"],
    ])
    func `arguments that do not fit are refused`(arguments: [String]) async throws {
        let outcome = try await Command.running(["download"] + arguments)

        #expect(outcome.status == 2 && !outcome.stderr.isEmpty)
    }
}
