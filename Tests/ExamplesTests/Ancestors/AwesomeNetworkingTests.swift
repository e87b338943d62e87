import Synchronization
import TestSupport
import Testing

/// `Examples/Ancestors/AwesomeNetworking`: its server begins to listen when the program says that requests wait.
struct AwesomeNetworkingTests {
    private let lines: [String]
    private let requests: [ReceivedRequest]
    private let outcome: ProcessRunner.Outcome

    init() async throws {
        let port = try ClosedPort()
        let late = LateServer(port)
        let folder = try TemporaryFolder("awesome")
        outcome = try await ProcessRunner.running(
            [
                try Products.executable("ExampleAwesomeNetworking"), String(port.url().dropLast()),
                folder.file("queue.sqlite"),
            ],
            onOutput: { if $0.contains("waiting: ") { late.start() } })
        lines = outcome.stdout.split(separator: "\n").map(String.init)
        requests = try late.requests
    }

    /// A server that does not listen before `start`.
    private final class LateServer: Sendable {
        private let port: ClosedPort
        private let server = Mutex<Result<LoopbackServer, any Error>?>(nil)

        init(_ port: ClosedPort) { self.port = port }

        func start() {
            server.withLock { [port] server in
                guard server == nil else { return }
                server = Result {
                    try LoopbackServer(
                        opening: port,
                        .responding { request in
                            request.path == "/feed" ? .json(["one", "two"]) : ServerResponse(status: 204)
                        })
                }
            }
        }

        var requests: [ReceivedRequest] {
            get throws { try server.withLock { try $0?.get().requests ?? [] } }
        }
    }

    @Test func `a program that starts without its server says so, and goes on when it is there`() throws {
        let said = lines.filter { !$0.hasPrefix("network: ") }

        #expect(said.first == "offline")
        #expect(said.last == "online")
        #expect(said.contains(#"feed: ["one", "two"]"#))
        #expect(said.contains("commented"))
        #expect(outcome.status == 0, "\(outcome.stderr)")
    }

    @Test func `what is taken back by category or tag is never sent`() {
        #expect(lines.contains("taken back: 2 likes, 1 comment"))
        #expect(lines.contains(#"waiting: ["comment-1"]"#))
        #expect(requests.map(\.path).filter { $0 != "/" } == ["/posts/1/comments", "/feed"])
        #expect(requests.first { $0.path == "/posts/1/comments" }?["Idempotency-Key"] != nil)
    }

    @Test func `opposite actions that wait cancel each other out`() {
        #expect(lines.filter { $0.hasPrefix("bookmarks: ") } == ["bookmarks: 1", "bookmarks: 0"])
        #expect(!requests.contains { $0.path.hasSuffix("/bookmark") })
    }

    @Test func `the network is told at the start`() {
        #expect(lines.contains { $0.hasPrefix("network: ") })
    }
}
