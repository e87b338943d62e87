import PlugboardJSON
import TestSupport
import Testing

/// Plugins of every make in one chain, run by the built command.
@Suite(.enabled(if: Repository.hasUserAgentPlugin, "Examples/UserAgent is not built"))
struct ChainTests {
    /// The chain from the outermost, by the priorities that the plugins give themselves.
    private static let chain = [
        "logging", "com.example.outer", "com.example.user-agent", "redirect", "com.example.inner", "com.example.stamp",
    ]

    private let folder: TemporaryFolder
    private let configuration: String

    init() async throws {
        folder = try TemporaryFolder("chain")
        let stamp = try await Repository.buildStamp(in: folder)
        let outer = try FixturePlugin.build(
            "tagger", define: ["PLUGIN_ID": "com.example.outer"], options: ["-DPRIORITY=100"])
        let inner = try FixturePlugin.build(
            "tagger", define: ["PLUGIN_ID": "com.example.inner"], options: ["-DPRIORITY=900"])
        // Not in the order in which they are to run.
        let plugins: JSONValue = [
            ["path": .string(stamp), "settings": ["start": 7]], ["path": .string(inner)], "redirect",
            ["path": .string(Repository.userAgentPlugin), "settings": ["product": "chain/1.0"]],
            ["path": .string(outer)], "logging",
        ]
        let object: JSONValue = ["plugins": plugins]
        configuration = try folder.write("plugboard.json", JSONWriter.write(object) as [UInt8])
    }

    @Test func `one chain of C loaded, Swift loaded and linked`() async throws {
        let server = try LoopbackServer.responding { request in
            if request.path == "/old" { return ServerResponse(status: 302, fields: [("Location", "/new")]) }
            return ServerResponse(
                fields: [
                    ("x-order-seen", request.values("x-order").joined(separator: " ")),
                    ("x-user-agent-seen", request["user-agent"] ?? "none"),
                    ("x-stamp-seen", request["x-stamp"] ?? "none"),
                ], body: request.path)
        }
        defer { server.stop() }

        let outcome = try await ProcessRunner.running([
            // Without the name that the command would give itself, so that the plugin in Swift has one to give.
            Products.executable("plugboard"), "get", "--include", "-H", "User-Agent:", "--config", configuration,
            server.url("/old"),
        ])

        let lines = outcome.stdout.split(separator: "\r\n", omittingEmptySubsequences: false).map { String($0) }
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(lines.first == "HTTP/1.1 302 Found" && lines.contains("HTTP/1.1 200 OK"))
        #expect(lines.contains("x-order-seen: com.example.outer com.example.inner"))
        #expect(lines.contains("x-user-agent-seen: chain/1.0"))
        // The redirect was followed from inside its plugin: plugins further in saw both requests.
        #expect(lines.contains("x-stamp-seen: 8"))
        #expect(server.requests.map { $0["x-stamp"] } == ["7", "8"])
        #expect(
            lines.filter { $0.hasPrefix("x-order-back") } == [
                "x-order-back: com.example.inner", "x-order-back: com.example.outer",
            ])
        #expect(lines.last == "/new")
        #expect(outcome.stderr.contains("(2 attempts)"))
    }

    @Test func `the order that is shown is the order in which it runs`() async throws {
        let outcome = try await ProcessRunner.running([
            Products.executable("plugboard"), "plugins", "order", "--config", configuration,
        ])

        let rows = outcome.stdout.split(separator: "\n").map { $0.split(separator: " ").map { String($0) } }
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(rows.prefix(ChainTests.chain.count).map { $0[1] } == ChainTests.chain)
        #expect(rows.prefix(ChainTests.chain.count).map { $0[0] } == ["10", "100", "300", "400", "900", "910"])
        #expect(rows.dropFirst(ChainTests.chain.count).first?.first == "request")
    }
}
