import Foundation
import TestSupport
import Testing

/// Ten everyday tasks, typed with curl's options, as somebody does who knows curl and nothing of Plugboard: once as the
/// verbs have them, and once as a command line of curl behind `plugboard curl`.
struct EverydayTaskTests {
    enum Style: String, CaseIterable { case verbs, curl }

    private func run(
        _ verb: String, _ options: [String], _ style: Style, in folder: TemporaryFolder
    ) async throws -> ProcessRunner.Outcome {
        let words = [try Products.executable("plugboard"), style == .verbs ? verb : "curl"] + options
        let outcome = try await ProcessRunner.running(
            ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path] + words,
            environment: ["HOME": folder.path, "no_proxy": "", "http_proxy": ""])
        #expect(outcome.status == 0, "\(style): \(outcome.stderr)")
        return outcome
    }

    /// Runs a task in both styles with a server that says what it was sent.
    private func inBothStyles(
        _ response: @escaping @Sendable (ReceivedRequest) -> ServerResponse = { _ in ServerResponse(body: "done") },
        _ work: (Style, LoopbackServer, TemporaryFolder) async throws -> Void
    ) async throws {
        for style in Style.allCases {
            let server = try LoopbackServer.responding(response)
            defer { server.stop() }
            try await work(style, server, try TemporaryFolder())
        }
    }

    @Test func `getting a page`() async throws {
        try await inBothStyles { style, server, folder in
            let outcome = try await run("get", [server.url("/page")], style, in: folder)

            #expect(outcome.stdout == "done")
        }
    }

    @Test func `posting JSON`() async throws {
        try await inBothStyles { style, server, folder in
            let json = #"{"title": "Swift"}"#
            _ = try await run("post", ["--json", json, server.url("/topics")], style, in: folder)

            #expect(server.requests.map(\.method) == ["POST"] && server.requests.first?.text == json)
            #expect(server.requests.first?["Content-Type"] == "application/json")
        }
    }

    @Test func `sending a form`() async throws {
        try await inBothStyles { style, server, folder in
            _ = try await run(
                "post", ["-d", "user=me", "--data-urlencode", "text=a b", server.url("/form")], style, in: folder)

            #expect(server.requests.first?.text == "user=me&text=a+b")
        }
    }

    @Test func `uploading a file in a form`() async throws {
        try await inBothStyles { style, server, folder in
            try folder.write("lake.txt", "water")
            _ = try await run(
                "post", ["-F", "of=Lake", "-F", "it=@lake.txt", server.url("/photos")], style, in: folder)

            let text = server.requests.first?.text ?? ""
            #expect(text.contains(#"name="it"; filename="lake.txt""#) && text.contains("\r\n\r\nwater\r\n"))
        }
    }

    @Test func `logging in with a name and a password`() async throws {
        try await inBothStyles { style, server, folder in
            _ = try await run("get", ["-u", "me:secret", server.url("/private")], style, in: folder)

            #expect(server.requests.last?["Authorization"] == "Basic bWU6c2VjcmV0")
        }
    }

    @Test func `keeping cookies from one request to the next`() async throws {
        try await inBothStyles({ _ in ServerResponse(fields: [("Set-Cookie", "id=7; Max-Age=60")]) }) {
            style, server, folder in
            _ = try await run("get", ["-c", "jar.txt", server.url("/login")], style, in: folder)
            _ = try await run("get", ["-b", "jar.txt", server.url("/next")], style, in: folder)

            #expect(server.requests.map { $0["Cookie"] } == [nil, "id=7"])
        }
    }

    @Test func `following a redirect, and naming the file as the URL does`() async throws {
        try await inBothStyles({ request in
            request.path == "/ok.txt"
                ? ServerResponse(body: "content") : ServerResponse(status: 302, fields: [("Location", "/ok.txt")])
        }) { style, server, folder in
            _ = try await run("get", ["-sSLO", server.url("/file.txt")], style, in: folder)

            #expect(String(decoding: try folder.read("file.txt"), as: UTF8.self) == "content")
        }
    }

    @Test func `asking a busy server again`() async throws {
        let count = Locked(0)
        try await inBothStyles({ _ in
            let number = count.withLock { number in
                number += 1
                return number
            }
            return ServerResponse(status: number % 2 == 1 ? 503 : 200, body: "")
        }) { style, server, folder in
            _ = try await run(
                "get", ["-f", "--retry", "2", "--retry-delay", "1", server.url("/busy")], style, in: folder)

            #expect(server.requests.count == 2)
        }
    }

    @Test(.enabled(if: NginxServer.isAvailable))
    func `showing a client certificate`() async throws {
        let nginx = try NginxServer.shared()
        for style in Style.allCases {
            let outcome = try await run(
                "get",
                [
                    "--cacert", nginx.authority.certificate, "--cert", nginx.authority.client.certificate, "--key",
                    nginx.authority.client.key, nginx.url("/echo", .tlsClientCertificate, host: "localhost"),
                ], style, in: try TemporaryFolder())

            #expect(outcome.stdout.contains("Client: CN=client"), "\(style): \(outcome.stdout)")
        }
    }

    @Test func `going through a proxy`() async throws {
        try await inBothStyles { style, proxy, folder in
            _ = try await run("get", ["-x", "127.0.0.1:\(proxy.port)", "http://far.test/page"], style, in: folder)

            #expect(proxy.requests.map(\.target) == ["http://far.test/page"])
        }
    }
}
