import Foundation
import PlugboardMessages
import TestSupport
import Testing

/// `--cookie` and `--cookie-jar`, as curl has them.
struct CookieJarTests {
    private let server: LoopbackServer
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer.responding { request in
            let cookies = ["session=s1; HttpOnly", "lasting=l1; Max-Age=3600"].map { ("Set-Cookie", $0) }
            if request.path == "/moved" {
                return ServerResponse(status: 302, fields: cookies + [("Location", "/")], body: "")
            }
            return ServerResponse(
                status: request.path == "/broken" ? 500 : 200, fields: request.path == "/none" ? [] : cookies,
                body: request["Cookie"] ?? "none")
        }
    }

    private func get(_ path: String, _ arguments: String...) async throws -> ProcessRunner.Outcome {
        let outcome = try await ProcessRunner.running(
            [try Products.executable("plugboard"), "get", server.url(path)] + arguments,
            environment: ["XDG_STATE_HOME": folder.file("state")])
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return outcome
    }

    @Test func `a jar carries cookies of the session from one command to the next`() async throws {
        let jar = folder.file("jar")

        let first = try await get("/", "-b", jar, "-c", jar)
        let second = try await get("/none", "--cookie", jar)

        #expect(first.stdout == "none" && first.stderr.isEmpty)
        #expect(Set(second.stdout.split(separator: "; ")) == ["session=s1", "lasting=l1"])
    }

    @Test func `a file that does not exist is named, unless it is the jar that is written`() async throws {
        let absent = folder.file("absent")

        let outcome = try await get("/none", "-b", absent, "-c", folder.file("jar"))
        let first = try await get("/none", "-b", folder.file("own"), "-c", folder.file("own"))

        #expect(first.stderr.isEmpty)
        #expect(
            outcome.stderr.contains("\(absent) does not exist, so no cookies are read from it."), "\(outcome.stderr)")
    }

    @Test(arguments: [(["-s"], 0), (["-sS"], 2)])
    func `curl -s tells of no file that does not exist, unless -S is given`(flags: [String], count: Int) async throws {
        let words = ["-b", folder.file("absent"), "--netrc-file", folder.file("absent"), server.url("/none")]
        let outcome = try await Command.running(["curl"] + flags + words)

        #expect(outcome.status == 0)
        #expect(outcome.stderr.split(separator: "\n").count == count, "\(outcome.stderr)")
    }

    @Test(.enabled(if: NginxServer.isAvailable))
    func `a server whose certificate is not verified gets the cookies of a file`() async throws {
        let url = try NginxServer.shared().url("/echo", .tlsSelfSigned)
        let host = try #require(Origin(url: url)).host
        let jar = try folder.write("jar", "\(host)\tFALSE\t/\tTRUE\t0\ta\tfile\n")

        let outcome = try await Command.run("get", url, "--insecure", "-b", jar)

        #expect(outcome.stdout.contains("Cookie: a=file\n"), "\(outcome.stdout) \(outcome.stderr)")
    }

    @Test func `a jar has curl's format, and no other file is written`() async throws {
        _ = try await get("/", "-c", folder.file("jar"))

        let lines = String(decoding: try folder.read("jar"), as: UTF8.self).split(separator: "\n")
        #expect(lines.first == "# Netscape HTTP Cookie File")
        #expect(lines.contains("#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\ts1"))
        #expect(try !folder.entries().contains("state"))
    }

    @Test func `without --cookie-jar a file is read and not written`() async throws {
        let jar = try folder.write("jar", "127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n")

        let outcome = try await get("/", "-b", jar)

        #expect(outcome.stdout == "a=1")
        #expect(try folder.read("jar") == Array("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n".utf8))
    }

    @Test func `cookies on the command line are sent unchanged`() async throws {
        #expect(try await get("/", "-b", "a=1; b=2", "-b", "c=3").stdout == "a=1; b=2; c=3")
    }

    @Test(arguments: ["get", "curl"])
    func `cookies of a file are sent before those given as text, also after a redirect`(verb: String) async throws {
        let jar = try folder.write("jar", "127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tfile\n")

        let outcome = try await Command.run(
            verb, "-L", server.url("/moved"), "-b", "a=1", "-b", jar, "-b", "b=2", "-c", folder.file("new"))

        #expect(outcome.status == 0 && server.requests.first?["Cookie"] == "a=file; a=1; b=2", "\(outcome.stderr)")
        let cookies = outcome.stdout.components(separatedBy: "; ")
        #expect(Set(cookies.prefix(3)) == ["a=file", "session=s1", "lasting=l1"])
        #expect(cookies.dropFirst(3) == ["a=1", "b=2"])
        #expect(try !String(decoding: folder.read("new"), as: UTF8.self).contains("b\t2"))
    }

    @Test(arguments: ["get", "curl"], [("-L", "l=far"), ("--location-trusted", "l=far; b=2")])
    func `another origin gets cookies given as text only where it is trusted`(
        verb: String, redirect: (option: String, sent: String)
    ) async throws {
        let far = try LoopbackServer.responding { _ in ServerResponse() }
        let near = try LoopbackServer.responding { [port = far.port] _ in
            ServerResponse(status: 302, fields: [("Location", "http://localhost:\(port)/")])
        }
        let lines = ["127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tfile\n", "localhost\tFALSE\t/\tFALSE\t0\tl\tfar\n"]
        let jar = try folder.write("jar", lines.joined())

        let outcome = try await Command.run(verb, near.url(), "-4", redirect.option, "-b", jar, "-b", "b=2")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(near.requests.map { $0["Cookie"] } == ["a=file; b=2"])
        #expect(far.requests.map { $0["Cookie"] } == [redirect.sent])
    }

    @Test(arguments: ["get", "curl"])
    func `cookies of a file and those given as text are sent again by --retry`(verb: String) async throws {
        let isFirst = Locked(true)
        let server = try LoopbackServer.responding { _ in
            let isBusy = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return ServerResponse(status: isBusy ? 503 : 200)
        }
        let jar = try folder.write("jar", "127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tfile\n")

        let outcome = try await Command.run(
            verb, server.url(), "--retry", "1", "--retry-delay", "1", "-b", jar, "-b", "b=2")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(server.requests.map { $0["Cookie"] } == ["a=file; b=2", "a=file; b=2"])
    }

    @Test func `cookies given as text are sent beside those of a session`() async throws {
        let words = ["get", server.url(), "--session", "shop", "-b", "a=1"]
        let environment = ["XDG_STATE_HOME": folder.file("state")]

        let first = try await Command.running(words, environment: environment)
        let second = try await Command.running(words, environment: environment)

        #expect(first.stdout == "a=1" && second.stdout.hasSuffix("; a=1"), "\(second.stderr)")
        #expect(second.stdout.contains("session=s1") && second.stdout.contains("lasting=l1"))
    }

    @Test func `cookies given as text are printed as an option of curl where a jar is used`() async throws {
        let jar = try folder.write("jar", "")

        let outcome = try await get("/", "-b", "a=1", "-b", jar, "--print-curl", "--show-secrets")

        #expect(outcome.stdout.contains(" -b a=1 ") && !outcome.stdout.contains("Cookie"), "\(outcome.stdout)")
    }

    @Test func `cookies given as text are sent, and received cookies are stored`() async throws {
        let outcome = try await get("/", "-b", "a=1", "-c", "-")

        #expect(outcome.stdout.hasPrefix("a=1# Netscape"))
        #expect(outcome.stdout.contains("\tsession\ts1\n"))
    }

    @Test func `a file from standard input is read`() async throws {
        let outcome = try await Command.run(
            "get", server.url("/none"), "-b", "-", input: "127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n")

        #expect(outcome.stdout == "a=1")
    }

    @Test func `lines that are not cookies are reported, and the other cookies sent`() async throws {
        let jar = try folder.write("jar", "nonsense\n127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n")

        let outcome = try await get("/none", "-b", jar)

        #expect(outcome.stdout == "a=1")
        #expect(outcome.stderr.contains("warning: \(jar), line 1 is ignored: It has 1 fields"), "\(outcome.stderr)")
    }

    @Test func `the jar is written after a failure, too`() async throws {
        let outcome = try await Command.run("get", server.url("/broken"), "--fail", "-c", folder.file("jar"))

        #expect(outcome.status == 22)
        #expect(String(decoding: try folder.read("jar"), as: UTF8.self).contains("session"))
    }

    @Test(arguments: [
        ["get", "--offline"], ["get", "--print-curl"], ["curl", "--print-definition", "It"],
    ])
    func `a request that is not sent leaves the jar as it is`(words: [String]) async throws {
        let jar = try folder.write("jar", "127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n")

        let outcome = try await Command.running([words[0], server.url(), "-c", jar] + words.dropFirst())

        #expect(outcome.status == 0 && server.requests.isEmpty, "\(outcome.stderr)")
        #expect(try folder.read("jar") == Array("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n".utf8))
    }

    @Test func `a jar that cannot be written ends with 23`() async throws {
        let outcome = try await Command.run("get", server.url(), "-c", folder.file("absent/jar"))

        #expect(outcome.status == 23)
        #expect(outcome.stderr.contains("absent/jar"))
    }

    @Test func `a configuration's own file of cookies is not touched`() async throws {
        let config = try folder.write(
            "plugboard.json",
            #"{"plugins": [{"id": "cookies", "settings": {"path": "own.sqlite"}}]}"#)

        _ = try await get("/", "-c", folder.file("jar"), "--config", config)

        #expect(try folder.entries().sorted() == ["jar", "plugboard.json"])
    }

    /// The arguments of a download of `/` and of an upload to it.
    private static let transfers = [
        ["download", "-o", "page", "URL"], ["upload", "--resumable", "none", "body", "URL"],
    ]

    private func transfer(_ arguments: [String], _ options: String...) async throws -> ProcessRunner.Outcome {
        try folder.write("body", "content")
        return try await ProcessRunner.running(
            [try Products.executable("plugboard")] + arguments.map { $0 == "URL" ? server.url() : $0 } + options,
            environment: ["XDG_STATE_HOME": folder.file("state")], folder: folder.path)
    }

    @Test(arguments: transfers)
    func `a download and an upload read and write jars`(arguments: [String]) async throws {
        let jar = try folder.write("jar", "127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n")

        let outcome = try await transfer(arguments, "-b", jar, "-c", folder.file("new"))

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(server.requests.map { $0["Cookie"] } == ["a=1"])
        let written = String(decoding: try folder.read("new"), as: UTF8.self)
        #expect(written.contains("\ta\t1\n") && written.contains("\tsession\ts1\n"), "\(written)")
    }

    @Test(arguments: transfers)
    func `the jar of a transfer is the one that an attribute names`(arguments: [String]) async throws {
        let jar = try folder.write("jar", "127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n")

        let outcome = try await transfer(
            arguments, "-b", jar, "-c", folder.file("new"), "--attribute", "cookies.jar=alice")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(server.requests.map { $0["Cookie"] } == ["a=1"])
        #expect(String(decoding: try folder.read("new"), as: UTF8.self).contains("\tsession\ts1\n"))
    }

    @Test(arguments: [["get", "URL"]] + transfers)
    func `a jar that cannot be read is an error before anything is sent`(arguments: [String]) async throws {
        let outcome = try await transfer(arguments, "-b", folder.path)

        #expect(outcome.status == 26, "\(outcome.stderr)")
        #expect(outcome.stderr.contains(folder.path), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: transfers)
    func `a transfer whose jar cannot be written ends with 23`(arguments: [String]) async throws {
        let outcome = try await transfer(arguments, "-c", folder.file("absent/jar"))

        #expect(outcome.status == 23)
        #expect(outcome.stderr.contains("absent/jar"))
    }

    @Test func `a jar without a name ends with 2`() async throws {
        let outcome = try await Command.run("get", server.url(), "-c", "")

        #expect(outcome.status == 2)
    }
}
