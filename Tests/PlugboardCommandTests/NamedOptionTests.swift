import Foundation
import PlugboardJSON
import TestSupport
import Testing

struct NamedOptionTests {
    @Test(arguments: [
        "get", "head", "post", "put", "patch", "delete", "request", "curl", "download", "upload", "call", "explain",
        "exec", "attach", "validate", "manual",
    ])
    func `a test passes each option of a verb to the command`(verb: String) async throws {
        let words = try NamedOptionTests.words.get()
        let dump = try JSONParser.parse(try await Command.run("--experimental-dump-help").stdout)
        let commands = dump["command"]?["subcommands"]?.arrayValue ?? []
        let command = try #require(commands.first { $0["commandName"]?.stringValue == verb })

        let arguments = command["arguments"]?.arrayValue ?? []
        let flags = arguments.filter { $0["kind"] == "flag" }.flatMap(NamedOptionTests.names)
        let passed = NamedOptionTests.options(in: words, flags: Set(flags))
        let options = arguments.map(NamedOptionTests.names)

        #expect(options.filter { !$0.isEmpty && passed.isDisjoint(with: $0) } == [])
    }

    /// The words that the tests of this folder pass, read once for all verbs.
    private static let words = Result {
        try TestedWords(in: URL(fileURLWithPath: #filePath).deletingLastPathComponent()).words
    }

    private static func names(of argument: JSONValue) -> [String] {
        (argument["names"]?.arrayValue ?? []).map { name in
            (name["kind"] == "long" ? "--" : "-") + (name["name"]?.stringValue ?? "")
        }
    }

    /// The options of the words, also of those with a value and of joined letters.
    private static func options(in words: Set<String>, flags: Set<String>) -> Set<String> {
        var options: Set<String> = []
        for word in words where word.hasPrefix("-") {
            if word.hasPrefix("--") {
                options.insert(String(word.prefix { $0 != "=" }))
                continue
            }
            for letter in word.dropFirst() {
                options.insert("-\(letter)")
                if !flags.contains("-\(letter)") { break }
            }
        }
        return options
    }

    @Test func `only what a test passes to the command counts as passed`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "Sample.swift",
            ##"""
            struct Sample {
                // Command.run("--comment")
                private static let given = [["--table"]]
                private static let hints = ["--hint"]

                @Test(arguments: given)
                func `--name is tested`(options: [String]) async throws {
                    let outcome = try await run(["-f", "--more"] + options)
                    #expect(outcome.stderr.contains("--expected"))
                    #expect(try await Command.run("--within").stdout == "--printed")
                }

                @Test func `a hint is given`() {
                    #expect(hints.contains("--parsed"), "--message")
                }

                private func run(_ words: [String]) async throws -> Outcome {
                    try await Command.running(words + ["--helper"])
                }
            }
            """##)

        let words = try TestedWords(in: URL(fileURLWithPath: folder.path)).words

        #expect(words.filter { $0.hasPrefix("-") }.sorted() == ["--helper", "--more", "--table", "--within", "-f"])
    }
}

/// Options of verbs of which other tests only show the same for `plugboard curl`, or an error.
struct VerbOptionTests {
    @Test(arguments: [["--retry-all-errors"], []])
    func `with --retry-all-errors a request is repeated after any error`(options: [String]) async throws {
        let count = Locked(0)
        let server = try LoopbackServer.responding { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return ServerResponse(status: isFirst ? 404 : 200, body: isFirst ? "missing" : "found")
        }

        let outcome = try await Command.running(
            ["get", server.url(), "--retry", "1", "--retry-delay", "10ms"] + options)

        #expect(outcome.stdout == (options.isEmpty ? "missing" : "found"), "\(outcome.stderr)")
    }

    @Test(arguments: [["--retry-connrefused"], []])
    func `with --retry-connrefused a request is repeated after a refused connection`(options: [String]) async throws {
        let outcome = try await Command.running(
            ["get", "http://127.0.0.1:1/", "-x", "", "--retry", "2", "--retry-delay", "1ms", "-v"] + options)

        #expect(outcome.status == 7, "\(outcome.stderr)")
        let repetitions = outcome.stderr.ranges(of: "retry sends the request again").count
        #expect(repetitions == (options.isEmpty ? 0 : 2), "\(outcome.stderr)")
    }

    @Test func `certificates and keys can be said to be PEM`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "body") }

        let outcome = try await Command.run("get", server.url(), "--cert-type", "pem", "--key-type", "PEM")

        #expect(outcome.status == 0 && outcome.stdout == "body", "\(outcome.stderr)")
    }

    @Test(arguments: [("far.test", 0), ("127.0.0.1", 1)])
    func `the hosts of --noproxy bypass the proxy`(hosts: String, direct: Int) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "direct") }
        let proxy = try LoopbackServer.responding { _ in ServerResponse(body: "by the proxy") }

        let outcome = try await Command.run("get", server.url(), "-x", proxy.url(), "--noproxy", hosts)

        #expect(server.requests.count == direct && proxy.requests.count == 1 - direct, "\(outcome.stderr)")
    }

    @Test(arguments: [("--netrc", true), ("--netrc-optional", false)])
    func `a file of passwords that is missing is a warning where it is not optional`(
        option: String, warns: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer.responding { _ in ServerResponse() }

        let none = try await Command.run("get", server.url(), option, environment: ["HOME": folder.path])
        try folder.write(".netrc", "machine 127.0.0.1 login ada password b")
        let found = try await Command.run("get", server.url(), option, environment: ["HOME": folder.path])

        #expect(none.stderr.contains("warning") == warns, "\(none.stderr)")
        #expect(found.status == 0 && server.requests.map { $0["Authorization"] != nil } == [false, true])
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `a terminal gets no progress with --no-progress-meter`() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "body") }

        let shown = try await Command.onTerminal("get \(server.url()) -o '\(folder.file("a"))'")
        let hidden = try await Command.onTerminal(
            "get \(server.url()) -o '\(folder.file("b"))' --no-progress-meter")

        #expect(!shown.isEmpty && hidden.isEmpty, "\(shown.debugDescription) \(hidden.debugDescription)")
    }

    @Test func `a resumable upload is sent in parts of --part-size`() async throws {
        let folder = try TemporaryFolder()
        let server = try UploadServer(.tus)
        let content = RangeServer.content(50_000)
        try folder.write("a", content)

        let outcome = try await Command.run(
            "upload", folder.file("a"), server.url("/files/"), "--part-size", "20KiB",
            environment: ["XDG_STATE_HOME": folder.file("state")])

        #expect(outcome.status == 0 && server.contents == [content], "\(outcome.stderr)")
        let parts = server.requestLines.filter { $0.hasPrefix("PATCH") }
        #expect(parts == ["PATCH /uploads/0 0", "PATCH /uploads/0 20480", "PATCH /uploads/0 40960"])
    }
}
