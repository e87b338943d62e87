import TestSupport
import Testing

/// What `-v` writes about connections, TLS and heads.
struct VerboseTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer.responding { _ in ServerResponse(fields: [("X-Api-Key", "geheim")], body: "body") }
    }

    private func lines(_ arguments: String...) async throws -> [String] {
        let outcome = try await Command.running(["get"] + arguments + ["-v"])
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return outcome.stderr.split(separator: "\n").map(String.init)
    }

    @Test func `the address of the connection and all fields that are sent are shown`() async throws {
        let lines = try await lines(server.url("/path"), "-d", "abc")

        #expect(lines.contains("* Connected to 127.0.0.1 (127.0.0.1) port \(server.port)"), "\(lines)")
        let begin = try #require(lines.firstIndex(of: "> GET /path HTTP/1.1"))
        #expect(lines[begin...].contains("> Host: 127.0.0.1:\(server.port)"))
        #expect(lines[begin...].contains("> Content-Length: 3"))
    }

    @Test func `secrets are shown with --show-secrets alone`() async throws {
        let url = server.url("/?token=geheim")
        let hidden = try await lines(url, "-H", "Authorization: geheim")
        let shown = try await lines(url, "-H", "Authorization: geheim", "--show-secrets")

        #expect(!hidden.contains { $0.contains("geheim") }, "\(hidden)")
        for line in ["> GET /?token=geheim HTTP/1.1", "> Authorization: geheim", "< X-Api-Key: geheim"] {
            #expect(shown.contains(line), "\(line) in \(shown)")
        }
    }

    @Test func `secret fields of the configuration are hidden in heads that are sent`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("plugboard.json", #"{"kernel": {"secretFields": ["X-Own"]}}"#)

        let lines = try await lines(server.url(), "-H", "X-Own: geheim", "--config", file)

        #expect(lines.contains("> X-Own: <redacted>"), "\(lines)")
    }

    @Test(.enabled(if: NginxServer.isAvailable))
    func `the version of TLS and the certificate are shown`() async throws {
        let nginx = try NginxServer.shared()

        let lines = try await lines(nginx.url("/", .tls), "--cacert", nginx.authority.certificate)

        for begin in [
            "* SSL connection using TLSv1.", "*   subject: CN=", "*   issuer: ", "*   start date: ",
            "*   expire date: ",
        ] {
            #expect(lines.contains { $0.hasPrefix(begin) }, "\(begin) in \(lines)")
        }
        #expect(lines.contains { $0.hasPrefix("> GET / HTTP/2") })
    }

    @Test func `what plugins do is told in words, with units`() async throws {
        let moving = try LoopbackServer.responding { request in
            request.path == "/end" ? ServerResponse() : ServerResponse(status: 302, fields: [("Location", "/end")])
        }

        let lines = try await lines(moving.url(), "-L")

        #expect(lines.first == "* Plugins: redirect", "\(lines)")
        #expect(lines.contains("* redirect sends the request again at once"), "\(lines)")
        #expect(lines.contains("* Attempt 2"))
        #expect(
            lines.contains {
                $0.wholeMatch(of: /\* Attempt 2 from its beginning: .*first byte \d+\.\d ms, end \d+\.\d ms/) != nil
            })
        #expect(!lines.contains { $0.hasPrefix("* ") && $0.contains("=") })
    }
}
