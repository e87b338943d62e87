import Foundation
import TestSupport
import Testing

struct SessionTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer.responding { request in
            ServerResponse(fields: request.path == "/login" ? [("Set-Cookie", "id=geheim; Path=/")] : [], body: "body")
        }
    }

    private func run(_ arguments: String...) async throws -> ProcessRunner.Outcome { try await run(arguments) }

    private func run(_ arguments: [String]) async throws -> ProcessRunner.Outcome {
        let outcome = try await Command.running(arguments, environment: ["XDG_STATE_HOME": folder.file("state")])
        #expect(!outcome.stderr.contains("geheim"), "\(outcome.stderr)")
        return outcome
    }

    private func path(_ name: String, _ file: String = "session.json") -> String {
        folder.file("state/plugboard/sessions/\(name)/\(file)")
    }

    @Test(.enabled(if: NginxServer.isAvailable))
    func `what was kept with verification is not sent without it, and the other way round`() async throws {
        let nginx = try NginxServer.shared()
        let words = ["get", nginx.url("/hundred.txt", .tls), "--session", "work", "--print=H"]
        let verified = words + ["--cacert", nginx.authority.certificate]
        let environment = ["XDG_STATE_HOME": folder.file("state")]
        func run(_ words: [String]) async throws -> (sent: String, notes: String) {
            let outcome = try await Command.running(words, environment: environment)
            return (outcome.stdout, outcome.stderr)
        }

        _ = try await run(verified + ["-u", "ada:geheim", "-H", "X-Team: a"])
        let without = try await run(words + ["-k", "-H", "X-Test: b"])
        let (later, other) = (try await run(verified), try await run(words + ["-k"]))

        #expect(!without.sent.contains("X-Team") && !without.sent.contains("Authorization"), "\(without.sent)")
        #expect(without.notes.contains("nothing is sent that session work has kept with it"), "\(without.notes)")
        #expect(later.sent.contains("X-Team") && later.sent.contains("Authorization"), "\(later.sent)")
        #expect(!later.sent.contains("X-Test") && other.sent.contains("X-Test") && later.notes.isEmpty)
    }

    // MARK: What is kept

    @Test func `later commands send the cookies, the fields and the credentials of a session`() async throws {
        let first = try await run(
            "get", server.url("/login"), "--session", "work", "-u", "ada:geheim", "-H", "X-Team: geheim", "-H",
            "Accept: text/plain")
        let second = try await run("get", server.url("/"), "--session", "work")

        let request = server.requests.last
        #expect(first.status == 0 && second.status == 0, "\(first.stderr)\(second.stderr)")
        #expect(request?["Cookie"] == "id=geheim")
        #expect(request?["X-Team"] == "geheim" && request?["Accept"] == "text/plain")
        #expect(request?["Authorization"] == "Basic \(Data("ada:geheim".utf8).base64EncodedString())")
    }

    @Test func `a token is kept, too, and another credential replaces it`() async throws {
        _ = try await run("get", server.url(), "--session", "work", "-u", "ada:geheim")
        _ = try await run("get", server.url(), "--session", "work", "--oauth2-bearer", "geheim")
        _ = try await run("get", server.url(), "--session", "work")

        #expect(server.requests.last?["Authorization"] == "Bearer geheim")
    }

    @Test func `a field Authorization is for one request, and replaces no credential`() async throws {
        _ = try await run("get", server.url(), "--session", "work", "-H", "Authorization: Bearer geheim")
        _ = try await run("get", server.url(), "--session", "work", "-u", "ada:geheim")
        _ = try await run("get", server.url(), "--session", "work")

        let credential = "Basic \(Data("ada:geheim".utf8).base64EncodedString())"
        #expect(server.requests.map { $0["Authorization"] } == ["Bearer geheim", credential, credential])
    }

    @Test(arguments: [
        ("get", "--offline"), ("get", "--print-curl"), ("explain", "--dry-run"), ("explain", "--print-curl"),
    ])
    func `a request that is not sent leaves nothing in its session`(verb: String, option: String) async throws {
        let words = [verb, server.url(), "--session", "work", "-H", "X-A: one", "-u", "ada:geheim", option]
        let printed = try await run(words)
        let listed = try await run("session", "list")
        _ = try await run("get", server.url(), "--session", "work")
        let later = try await run(words)
        _ = try await run("get", server.url(), "--session", "work")

        #expect(printed.status == 0 && listed.stdout.isEmpty, "\(printed.stderr)\(listed.stdout)")
        #expect(later.status == 0, "\(later.stderr)")
        #expect(server.requests.map { $0["X-A"] ?? $0["Authorization"] } == [nil, nil])
    }

    @Test func `a field of the command line replaces that of the session, and one without a value removes it`()
        async throws
    {
        _ = try await run("get", server.url(), "--session", "work", "-H", "X-A: one", "-H", "X-B: one")
        _ = try await run("get", server.url(), "--session", "work", "-H", "X-A: two", "-H", "X-B:")
        _ = try await run("get", server.url(), "--session", "work")

        #expect(server.requests.last?.values("X-A") == ["two"])
        #expect(server.requests.last?["X-B"] == nil)
    }

    @Test func `fields that describe one request are not kept`() async throws {
        _ = try await run(
            "post", server.url(), "--session", "work", "-d", "{}", "-H", "Content-Type: application/json", "-H",
            "If-Match: a", "-r", "0-1", "-b", "own=1")
        _ = try await run("get", server.url(), "--session", "work")

        let request = server.requests.last
        let names = ["Content-Type", "If-Match", "Range", "Cookie"]
        #expect(names.map { request?[$0] } == [nil, nil, nil, nil])
    }

    @Test func `a session is for its own request of a command line`() async throws {
        _ = try await run("get", server.url(), "--session", "work", "-H", "X-A: geheim")

        let outcome = try await run("get", server.url(), "--session", "work", "--next", server.url())

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(server.requests.map { $0["X-A"] } == ["geheim", "geheim", nil])
    }

    // MARK: For whom

    @Test func `nothing of an origin is sent to another one`() async throws {
        let other = try LoopbackServer.responding { _ in ServerResponse(body: "other") }
        _ = try await run(
            "get", server.url("/login"), "--session", "work", "-u", "ada:geheim", "-H", "X-Team: geheim")

        _ = try await run("get", "http://localhost:\(other.port)/", "--session", "work")

        let request = other.requests.last
        #expect(["Cookie", "X-Team", "Authorization"].map { request?[$0] } == [nil, nil, nil])
    }

    @Test func `a redirect to another origin leaves the session's fields and credentials behind`() async throws {
        let other = try LoopbackServer.responding { _ in ServerResponse(body: "other") }
        let moving = try LoopbackServer.responding { _ in
            ServerResponse(status: 302, fields: [("Location", other.url("/"))])
        }
        _ = try await run("get", moving.url(), "--session", "work", "-u", "ada:geheim", "-H", "X-Team: geheim")

        let outcome = try await run("get", moving.url(), "--session", "work", "-L")

        #expect(outcome.stdout == "other" && moving.requests.last?["X-Team"] == "geheim")
        #expect(other.requests.last?["X-Team"] == nil && other.requests.last?["Authorization"] == nil)
    }

    @Test func `what was sent by a Unix socket is not sent to the URL's own server`() async throws {
        let local = try UnixSocketServer("one", "Set-Cookie: id=geheim")
        let url = server.url()
        _ = try await run("get", url, "--session", "work", "--unix-socket", local.path, "-H", "X-Team: geheim")

        _ = try await run("get", url, "--session", "work")

        #expect(server.requests.last?["X-Team"] == nil && server.requests.last?["Cookie"] == nil)
    }

    // MARK: Files

    @Test func `the files of a session are private`() async throws {
        _ = try await run("get", server.url("/login"), "--session", "work", "-H", "X-Team: geheim")

        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(path("work", "")) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: path("work", "")) {
            #expect(try mode(path("work", name)) == 0o600, "\(name)")
        }
    }

    @Test func `a session that is only read stays as it is`() async throws {
        _ = try await run("get", server.url(), "--session", "work", "-H", "X-Team: one")
        let before = try String(contentsOfFile: path("work"), encoding: .utf8)

        _ = try await run(
            "get", server.url("/login"), "--session-read-only", "work", "-H", "X-Team: two", "-H", "X-B: c")
        let after = try String(contentsOfFile: path("work"), encoding: .utf8)
        _ = try await run("get", server.url(), "--session", "work")

        #expect(before == after)
        #expect(server.requests.last?["X-Team"] == "one" && server.requests.last?["Cookie"] == nil)
    }

    @Test func `a session that is only read must exist`() async throws {
        let outcome = try await run("get", server.url(), "--session-read-only", "wrok")

        #expect(outcome.status == 2 && outcome.stderr.contains("There is no session wrok."))
    }

    @Test func `a damaged file is an error, and stays`() async throws {
        _ = try await run("get", server.url(), "--session", "work", "-H", "X-Team: geheim")
        let damaged = #"{"version": 1, "origins": {"http://a": {"fields": [["X", "geheim"]}"#
        try damaged.write(toFile: path("work"), atomically: false, encoding: .utf8)

        let outcome = try await run("get", server.url(), "--session", "work")

        #expect(outcome.status == 26 && outcome.stderr.contains("\(path("work")) is damaged"))
        #expect(outcome.stderr.contains("plugboard session remove work"))
        #expect(try String(contentsOfFile: path("work"), encoding: .utf8) == damaged)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["../work", "a/b", ".hidden", "", "a b"])
    func `a name that could be another path is refused`(name: String) async throws {
        let outcome = try await run("get", server.url(), "--session", name)

        #expect(outcome.status == 2 && outcome.stderr.contains("cannot be the name of a session"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("state")))
    }

    @Test(arguments: [["-b", "file.txt"], ["-c", "file.txt"]])
    func `files of cookies and sessions exclude each other`(options: [String]) async throws {
        let outcome = try await Command.running(["get", server.url(), "--session", "work"] + options)

        #expect(outcome.status == 2 && outcome.stderr.contains("A session has its own cookies"))
    }

    // MARK: The verb

    @Test func `sessions are listed, shown without secrets, and removed`() async throws {
        _ = try await run(
            "get", server.url("/login"), "--session", "work", "-u", "ada:geheim", "-H", "X-Team: geheim")

        let listed = try await run("session", "list")
        let shown = try await run("session", "show", "work")
        let removed = try await run("session", "remove", "work")
        let left = try await run("session", "list")

        let origin = "http://127.0.0.1:\(server.port)"
        #expect(listed.stdout == "work\n" && left.stdout.isEmpty && removed.status == 0, "\(removed.stderr)")
        let rows = shown.stdout.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            rows == [
                "\(origin) field X-Team", "\(origin) password ada", "127.0.0.1 cookie id of the session",
            ], "\(shown.stdout)\(shown.stderr)")
        #expect(!FileManager.default.fileExists(atPath: path("work", "")))
    }
}
