import TestSupport
import Testing

/// Passwords that the command asks its terminal for.
struct SecretPromptTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer.responding { _ in ServerResponse(body: "body") }
    }

    /// Runs the command on a terminal, types a text when it asks for the password, and returns what is shown.
    private func run(_ line: String, typing text: String) async throws -> String {
        let outcome = try await Command.shell(
            #"""
            (until grep -q 'assword for me: ' "$log" 2>"$folder/none"; do :; done; printf '%b' "$text") |
                script -qefc "$line" "$log" >"$folder/out"; cat "$log"
            """#, ["folder": folder.path, "log": folder.file("log"), "text": text, "line": line, "url": server.url()])
        return outcome.stdout
    }

    @Test(.enabled(if: Command.hasTerminals), arguments: ["get", "curl"])
    func `a password is asked for once, and what is typed is not shown`(verb: String) async throws {
        let shown = try await run("\"$plugboard\" \(verb) -u me \"$url\" \"$url\"", typing: "geheim\\n")

        #expect(server.requests.map { $0["Authorization"] } == ["Basic bWU6Z2VoZWlt", "Basic bWU6Z2VoZWlt"])
        #expect(!shown.contains("geheim") && shown.ranges(of: "Password for me: ").count == 1, "\(shown)")
    }

    @Test(.enabled(if: Command.hasTerminals), arguments: ["get", "curl"])
    func `the password for a proxy is asked for once`(verb: String) async throws {
        let words = "-U me -x \"$url\" http://a.test/ http://b.test/"

        let shown = try await run("\"$plugboard\" \(verb) \(words)", typing: "geheim\\n")

        #expect(server.requests.map { $0["Proxy-Authorization"] } == ["Basic bWU6Z2VoZWlt", "Basic bWU6Z2VoZWlt"])
        #expect(!shown.contains("geheim") && shown.ranges(of: "Proxy password for me: ").count == 1, "\(shown)")
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `an end of the input instead of a password sends nothing`() async throws {
        let shown = try await run("\"$plugboard\" get -u me \"$url\"", typing: "geh\\004\\004")

        #expect(shown.contains("No password was typed: write --user NAME:PASSWORD."), "\(shown)")
        #expect(server.requests.isEmpty && !shown.contains("geh"))
    }

    @Test func `without a terminal, the error says how to write the password`() async throws {
        let outcome = try await Command.shell(#"exec setsid "$plugboard" get -u me "$url""#, ["url": server.url()])

        #expect(outcome.status == 2 && outcome.stderr.contains("There is no terminal to ask for the password"))
        #expect(server.requests.isEmpty)
    }
}
