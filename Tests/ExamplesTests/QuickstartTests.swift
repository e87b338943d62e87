import TestSupport
import Testing

/// What `Examples/quickstart` is built of; the script itself builds the command, which takes too long here.
struct QuickstartTests {
    @Test(arguments: ["Examples/quickstart", "Tests/run", "Tests/install-packages", ".ci/run"])
    func `a script has no errors of syntax`(script: String) async throws {
        let outcome = try await ProcessRunner.running(["bash", "-n", "\(Repository.root)/\(script)"])

        #expect(outcome.status == 0)
        #expect(outcome.stderr == "")
    }

    @Test func `packages that are there are not installed again`() async throws {
        let outcome = try await ProcessRunner.running([
            "\(Repository.root)/Tests/install-packages", "sh:no-such-package",
        ])

        #expect(outcome.status == 0)
        #expect(outcome.stdout == "")
    }

    @Test func `a request to its server is stamped, redirected, decoded and logged`() async throws {
        let folder = try TemporaryFolder()
        _ = try await Repository.buildStamp(in: folder)
        try folder.write("plugboard.json", Repository.text("Examples/plugboard.json"))

        let outcome = try await ask(
            [try Products.executable("plugboard"), "get", "--include", "--config", folder.file("plugboard.json")])

        #expect(outcome.status == 0)
        #expect(outcome.stdout.hasPrefix("HTTP/1.1 302 Found\r\n"))
        #expect(outcome.stdout.contains("\r\n\r\nHTTP/1.1 200 OK\r\n"))
        #expect(!outcome.stdout.contains("Content-Encoding"))
        for line in ["GET /hello HTTP/1.1", "Accept-Encoding: gzip", "x-stamp: 101"] {
            #expect(outcome.stdout.contains(line), "\(line)")
        }
        #expect(outcome.stderr.contains("(2 attempts)"))
    }

    @Test func `without plugins the redirect is the response`() async throws {
        let outcome = try await ask([try Products.executable("plugboard"), "get", "--include"])

        #expect(outcome.status == 0)
        #expect(outcome.stdout.hasPrefix("HTTP/1.1 302 Found\r\n"))
        #expect(outcome.stdout.contains("Location: /hello\r\n"))
    }

    /// Starts the server as the script does, and runs a command with its URL as the last argument.
    private func ask(_ command: [String]) async throws -> ProcessRunner.Outcome {
        let folder = try TemporaryFolder("origin")
        let server = folder.file("origin")
        try await Repository.output(of: ["cc", "-std=c11", "-O2", "Examples/Origin/origin.c", "-lz", "-o", server])
        // The last line keeps bash from becoming the command, which would close the server's standard input.
        let script = """
            coproc ORIGIN { "$0"; }
            read -r url <&"${ORIGIN[0]}"
            "$@" "$url"
            exit
            """
        return try await ProcessRunner.running(["bash", "-euc", script, server] + command)
    }
}
