import Foundation
import PlugboardJSON
import TestSupport
import Testing

@testable import PlugboardCommand

struct UploadCommandTests {
    private let content = RangeServer.content(50_000)
    private let folder: TemporaryFolder
    private var state: [String: String] { ["XDG_STATE_HOME": folder.file("state")] }

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("na me.bin", content)
    }

    private func upload(_ arguments: String..., input: String = "") async throws -> ProcessRunner.Outcome {
        try await Command.running(["upload"] + arguments, environment: state, input: input)
    }

    @Test(arguments: UploadServer.Dialect.allCases)
    func `upload sends a file by the protocol that the server speaks`(dialect: UploadServer.Dialect) async throws {
        let server = try UploadServer(dialect)

        let outcome = try await upload(folder.file("na me.bin"), server.url("/files/"))

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(server.contents == [content])
        let lines = server.requestLines
        switch dialect {
        case .none, .draft: #expect(lines == ["OPTIONS /files/", "PUT /files/na%20me.bin"])
        case .tus: #expect(lines == ["OPTIONS /files/", "POST /files/", "PATCH /uploads/0 0"])
        }
        if dialect == .tus {
            #expect(server.requests[1]["Upload-Metadata"] == "filename \(Data("na me.bin".utf8).base64EncodedString())")
        }
        let journals =
            (try? FileManager.default.contentsOfDirectory(atPath: folder.file("state/plugboard/uploads"))) ?? []
        #expect(journals.isEmpty)
    }

    @Test(arguments: [["--other-origins"], []])
    func `an upload is continued on another origin with --other-origins alone`(options: [String]) async throws {
        var plan = UploadServer.Plan(.draft)
        plan.cuts = [10_000]
        let server = try UploadServer(plan)
        let redirecting = try LoopbackServer.responding { request in
            if request.method == "OPTIONS" { return ServerResponse(status: 405) }
            return ServerResponse(status: 307, fields: [("Location", server.url("/other"))])
        }
        let words = ["upload", folder.file("na me.bin"), redirecting.url("/x"), "--plugin", "redirect"]

        let outcome = try await Command.running(words + options, environment: state)

        #expect(outcome.status == 0 && server.contents.last == content, "\(outcome.stderr)")
        #expect(server.requestLines.contains("HEAD /uploads/0") == !options.isEmpty, "\(server.requestLines)")
    }

    @Test(arguments: ["draft", "tus"])
    func `an upload that broke is continued by the same command, or removed`(resumable: String) async throws {
        var plan = UploadServer.Plan(resumable == "tus" ? .tus : .draft)
        plan.cuts = [10_000]
        let later = ServerResponse(status: 503, fields: [("Retry-After", "3600")])
        plan.override = { number, _ in number == 3 ? later : nil }
        let server = try UploadServer(plan)
        let file = folder.file("na me.bin")

        let broken = try await upload(file, server.url(), "--resumable", resumable)
        let modes = try FileManager.default.subpathsOfDirectory(atPath: folder.file("state/plugboard/uploads")).map {
            try FileManager.default.attributesOfItem(atPath: folder.file("state/plugboard/uploads/\($0)"))[
                .posixPermissions] as? Int
        }
        let outcome = try await upload(file, server.url(), "--resumable", resumable, "--progress", "json")
        server.change { $0.cuts = [nil, nil, 10_000] }
        server.change { $0.override = { number, _ in number == 8 ? later : nil } }
        let again = try await upload(file, server.url(), "--resumable", resumable)
        let removed = try await upload(file, server.url(), "--resumable", resumable, "--abort")
        let nothing = try await upload(file, server.url(), "--resumable", resumable, "--abort")

        #expect(broken.status == 22 && broken.stderr.contains("same command continues"), "\(broken.stderr)")
        #expect(modes == [0o600])
        #expect(outcome.status == 0, "\(outcome.stderr)")
        let last = try JSONParser.parse(String(try #require(outcome.stdout.split(separator: "\n").last)))
        #expect(last["isComplete"] == true && last["resumed"] == 10_000 && last["sent"] == 50_000)
        #expect(again.status == 22, "\(again.stderr)")
        #expect(removed.status == 0 && removed.stderr.contains(": removed"), "\(removed.stderr)")
        #expect(nothing.status == 0 && nothing.stderr.contains("nothing to remove"))
        #expect(server.contents == [content] && server.cancelledCount == 1)
    }

    @Test(arguments: UploadServer.Dialect.allCases, [nil, "sha256"])
    func `digests are sent for the server to verify, and a server of tus has to`(
        dialect: UploadServer.Dialect, algorithms: String?
    ) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.extensions = "creation,checksum"
        plan.checksums = algorithms
        let server = try UploadServer(plan)
        let isRefused = dialect == .tus && algorithms == nil

        let outcome = try await upload(folder.file("na me.bin"), server.url("/files/"), "--checksum")

        #expect((outcome.status == 0) != isRefused, "\(outcome.stderr)")
        #expect(outcome.stderr.contains("Upload without the checksum") == isRefused)
        #expect(server.contents == (isRefused ? [] : [content]))
        let fields = isRefused ? [] : dialect == .tus ? ["Upload-Checksum"] : ["Content-Digest", "Repr-Digest"]
        #expect(server.verified == fields)
    }

    @Test func `an interrupted upload stays, and the same command continues it`() async throws {
        var plan = UploadServer.Plan(.tus)
        // What the first run has sent arrives late: when the second one has asked for its offset.
        let isAsked = Gate()
        plan.onPiece = { connection, count in
            guard count < 20_000 else { return }
            try folder.write("reached", "")
            try connection.wait(for: isAsked)
        }
        plan.override = { number, _ in
            // OPTIONS is not sent: the first run sends POST and PATCH.
            if number == 4 { isAsked.open() }
            return nil
        }
        let server = try UploadServer(plan)
        let file = folder.file("na me.bin")
        let line = """
            "$plugboard" upload "$file" "$url" --resumable tus & id=$!; \
            while ! [ -e "$reached" ]; do sleep 0.02; done; kill -INT $id; wait $id
            """
        let variables = ["file": file, "url": server.url(), "reached": folder.file("reached")]

        let interrupted = try await Command.shell(line, state.merging(variables) { own, _ in own })
        let outcome = try await upload(file, server.url(), "--resumable", "tus")

        #expect(interrupted.status == 130, "\(interrupted.stderr)")
        #expect(interrupted.stderr.contains("same command continues"))
        #expect(outcome.status == 0 && server.contents == [content], "\(outcome.stderr)")
        #expect(server.requests.filter { $0.method == "POST" }.count == 1)
    }

    @Test func `many files are uploaded, and a failure does not stop the others`() async throws {
        let names = ["a", "b", "c"]
        for name in names { try folder.write(name, Array(content.prefix(1000 + (name.utf8.first.map(Int.init) ?? 0)))) }
        var plan = UploadServer.Plan(.none)
        plan.override = { _, request in request.path == "/d/b" ? ServerResponse(status: 403) : nil }
        let server = try UploadServer(plan)

        let outcome = try await Command.running(
            ["upload"] + names.map { folder.file($0) } + [server.url("/d/"), "--resumable", "none"], environment: state)

        #expect(outcome.status == 22, "\(outcome.stderr)")
        #expect(Set(server.contents) == Set([try folder.read("a"), try folder.read("c")]))
        #expect(outcome.stderr.contains("403"))
    }

    @Test(arguments: [["a", "d/a", "/d/"], ["a", "b", "/x"]])
    func `files that would replace each other are refused`(arguments: [String]) async throws {
        try FileManager.default.createDirectory(atPath: folder.file("d"), withIntermediateDirectories: true)
        for name in ["a", "b", "d/a"] { try folder.write(name, content) }
        let server = try UploadServer(.none)

        let outcome = try await Command.running(
            ["upload"] + arguments.dropLast().map { folder.file($0) } + [server.url(arguments[2])], environment: state)

        #expect(outcome.status == 2 && outcome.stderr.contains("replace each other"), "\(outcome.stderr)")
        #expect(server.requests.allSatisfy { $0.method == "OPTIONS" } && server.contents.isEmpty)
    }

    @Test(arguments: ["none", "exaggerated", "refused", "later"])
    func `a failure says what helps: the same command, another upload, or neither`(kind: String) async throws {
        var plan = UploadServer.Plan(.tus)
        plan.cuts = [10_000]
        plan.override = { number, _ in number == 3 ? ServerResponse(status: 401) : nil }
        let server = try UploadServer(plan)
        let file = folder.file("na me.bin")
        _ = try await upload(file, server.url(), "--resumable", "tus")
        server.change {
            switch kind {
            case "none": $0.override = { _, request in request.method == "HEAD" ? ServerResponse(status: 204) : nil }
            case "exaggerated": $0.exaggeration = 1_000_000
            case "refused": $0.override = { _, request in request.method == "HEAD" ? ServerResponse(status: 413) : nil }
            default: $0.override = { _, request in request.method == "HEAD" ? ServerResponse(status: 401) : nil }
            }
        }

        let outcome = try await upload(file, server.url(), "--resumable", "tus")
        server.change { ($0.override, $0.exaggeration) = (nil, 0) }
        let again = try await upload(file, server.url(), "--resumable", "tus", "--restart")

        #expect(outcome.stderr.contains("--restart") == (kind != "later"), "\(outcome.stderr)")
        // Only where the server keeps what it has can it be asked to remove it.
        #expect(outcome.stderr.contains("--abort") == (kind == "later"), "\(outcome.stderr)")
        #expect(outcome.stderr.contains("the same command continues it") == (kind == "later"), "\(outcome.stderr)")
        #expect(outcome.status != 0 && again.status == 0 && server.contents == [content], "\(again.stderr)")
    }

    @Test func `an upload whose file was removed can be removed`() async throws {
        var plan = UploadServer.Plan(.tus)
        plan.cuts = [10_000]
        plan.override = { number, _ in number == 3 ? ServerResponse(status: 402) : nil }
        let server = try UploadServer(plan)
        let file = try folder.write("gone", content)

        let broken = try await upload(file, server.url(), "--resumable", "tus")
        try FileManager.default.removeItem(atPath: file)
        let removed = try await upload(file, server.url(), "--resumable", "tus", "--abort")

        #expect(broken.status == 22 && removed.status == 0, "\(broken.stderr)\(removed.stderr)")
        #expect(removed.stderr.contains(": removed") && server.cancelledCount == 1, "\(removed.stderr)")
    }

    @Test func `standard input is uploaded, and the response's body is printed`() async throws {
        let server = try LoopbackServer.responding { request in
            ServerResponse(status: 201, body: "https://example.com/\(request.body.count)\n")
        }

        let outcome = try await upload("-", server.url("/x"), "--resumable", "none", input: "hello")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout == "https://example.com/5\n")
        #expect(server.requests.first?.method == "PUT")
    }

    @Test(arguments: [
        [], ["file"], ["a", "b", "http://a.test/x", "--resumable", "none"],
        ["a", "http://a.test/", "--progress", "dots"],
        ["a", "http://a.test/", "--resumable", "ftp"], ["a", "http://a.test/", "--parallel", "0"],
        ["a", "http://a.test/", "--part-size", "1x"], ["a", "http://a.test/", "--metadata", "x"],
        ["-", "http://a.test/", "--resumable", "none"], ["-", "http://a.test/x", "--abort"],
    ])
    func `arguments that do not fit are refused`(arguments: [String]) async throws {
        let outcome = try await Command.running(["upload"] + arguments, environment: state)

        #expect(outcome.status == 2 && !outcome.stderr.isEmpty, "\(outcome.stderr)")
    }

    @Test func `a file that cannot be read has the status for that`() async throws {
        let outcome = try await upload(folder.file("missing"), "http://127.0.0.1:9/x", "--resumable", "none")

        #expect(outcome.status == 26 && outcome.stderr.contains("missing"), "\(outcome.stderr)")
    }
}
