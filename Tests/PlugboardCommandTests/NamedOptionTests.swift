import Foundation
import PlugboardJSON
import TestSupport
import Testing

struct NamedOptionTests {
    @Test(arguments: ["get", "post", "request", "curl", "download", "upload", "call", "explain", "exec"])
    func `each option of a verb is in a test`(verb: String) async throws {
        let words = try NamedOptionTests.words()
        let dump = try JSONParser.parse(try await Command.run("--experimental-dump-help").stdout)
        let commands = dump["command"]?["subcommands"]?.arrayValue ?? []
        let command = try #require(commands.first { $0["commandName"]?.stringValue == verb })

        let options = (command["arguments"]?.arrayValue ?? []).map { argument in
            (argument["names"]?.arrayValue ?? []).map { name in
                (name["kind"] == "long" ? "--" : "-") + (name["name"]?.stringValue ?? "")
            }
        }

        #expect(options.filter { !$0.isEmpty && words.isDisjoint(with: $0) } == [])
    }

    /// All words of the tests of the command that could be options.
    private static func words() throws -> Set<String> {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        var words: Set<String> = []
        for case let file as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            ?? .init()
        where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            words.formUnion(text.split { !($0.isLetter || $0.isNumber || "-.#".contains($0)) }.map(String.init))
        }
        return words
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
