import TestSupport
import Testing

/// `-` and `@-` are standard input in every option that takes a file.
struct StandardInputTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer.responding { ServerResponse(body: $0.text) } }

    @Test(arguments: ["-", "@-"])
    func `a dash is standard input everywhere`(dash: String) async throws {
        for option in ["--data", "--data-binary", "--json"] {
            #expect(try await Command.run("post", server.url(), option, dash, input: "[1]").stdout == "[1]")
        }
        let form = try await Command.run("post", server.url(), "-F", "a=@-", input: "[1]")
        let fields = try await Command.run("get", server.url(), "-H", dash, input: "X-A: 1\r\n\nX-B: 2\n")
        let config = try await Command.run(
            "plugins", "order", "--config", dash, input: #"{"plugins": ["redirect"]}"#)
        let wrong = try await Command.run("get", server.url(), "--config", dash, input: #"{"plugin": []}"#)

        #expect(form.stdout.contains("filename=\"-\"") && form.stdout.contains("\r\n\r\n[1]\r\n"))
        #expect(fields.status == 0)
        let request = try #require(server.requests.last)
        #expect(request["X-A"] == "1" && request["X-B"] == "2")
        #expect(config.stdout.contains("redirect"))
        #expect(wrong.status == 100 && wrong.stderr.contains("did you mean plugins?"))
    }

    @Test func `a second configuration is refused`() async throws {
        let outcome = try await Command.run("get", server.url(), "--config", "a.json", "--config", "b.json")

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("give --config once"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test func `who reads a terminal says so`() async throws {
        let terminal = try PseudoTerminal()

        async let running = Command.shell(
            #"exec "$plugboard" post "$url" -d - <"$terminal""#, ["url": server.url(), "terminal": terminal.path])
        try terminal.write("a=1\n\u{4}")
        let outcome = try await running

        #expect(outcome.stderr == "plugboard: --data reads standard input; Ctrl-D ends it.\n")
        #expect(outcome.stdout == "a=1")
    }

    @Test func `header fields come from a file, too`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("fields", "X-A: 1\nX-B: 2\n")

        _ = try await Command.run("get", server.url(), "-H", "@\(file)", "-H", "X-C: 3")

        let request = try #require(server.requests.last)
        #expect(["X-A", "X-B", "X-C"].map { request[$0] } == ["1", "2", "3"])
    }

    @Test(arguments: [
        (["post", "-d", "@-", "-d", "-"], "--data reads standard input twice"),
        (["post", "--json", "-", "-H", "@-"], "--json and --header both read standard input"),
        (["get", "--config", "-", "-H", "-"], "--config and --header both read standard input"),
        (["post", "-d", "-", "-b", "-"], "--data and --cookie both read standard input"),
    ])
    func `standard input is read once`(words: [String], text: String) async throws {
        let arguments = [words[0], server.url()] + words.dropFirst()
        let outcome = try await ProcessRunner.running(
            [try Products.executable("plugboard")] + arguments, input: Array("{}".utf8))

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains(text), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test func `exec reads its requests from standard input, and nothing else can`() async throws {
        let outcome = try await Command.run("exec", "--config", "-", input: "{}")

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("exec and --config both read standard input"), "\(outcome.stderr)")
    }
}
