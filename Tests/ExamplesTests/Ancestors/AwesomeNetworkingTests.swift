import Synchronization
import TestSupport
import Testing

/// `Examples/Ancestors/AwesomeNetworking`: its server begins to listen when the program says that requests wait.
struct AwesomeNetworkingTests {
    private let lines: [String]
    private let requests: [ReceivedRequest]
    private let outcome: ProcessRunner.Outcome
    /// What the second process does with the file of the first.
    private let second: ProcessRunner.Outcome
    private let later: [ReceivedRequest]

    init() async throws {
        let port = try ClosedPort()
        let late = LateServer(port)
        let folder = try TemporaryFolder("awesome")
        let command = [
            try Products.executable("ExampleAwesomeNetworking"), String(port.url().dropLast()),
            folder.file("queue.sqlite"),
        ]
        outcome = try await ProcessRunner.running(
            command, onOutput: { if $0.contains("waiting: ") { late.start() } })
        lines = outcome.stdout.split(separator: "\n").map(String.init)
        requests = try late.requests
        late.slow.open()
        second = try await ProcessRunner.running(command)
        later = try Array(late.requests.dropFirst(requests.count))
    }

    /// A server that does not listen before `start`.
    private final class LateServer: Sendable {
        private let port: ClosedPort
        /// What is below `/slow` gets its response when this is open.
        let slow = Gate()
        private let server = Mutex<Result<LoopbackServer, any Error>?>(nil)

        init(_ port: ClosedPort) { self.port = port }

        func start() {
            server.withLock { [port, slow] server in
                guard server == nil else { return }
                server = Result {
                    try LoopbackServer(
                        opening: port,
                        .responding { request in
                            if request.path.hasPrefix("/slow") { try slow.wait() }
                            return switch request.path {
                            case "/feed": .json(["one", "two"])
                            case "/profile":
                                ServerResponse(
                                    fields: [("Content-Type", request["Content-Type"] ?? "")], body: request.body)
                            default: ServerResponse(status: 204)
                            }
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
        #expect(said.contains("online"))
        #expect(said.contains(#"feed: ["one", "two"]"#))
        #expect(said.contains("commented"))
        #expect(outcome.status == 0, "\(outcome.stderr)")
    }

    @Test func `the server is asked before what waits is sent`() {
        #expect(requests.first { $0.path != "/" }?.path == "/probe")
    }

    @Test func `calls are suspended, resumed and cancelled by their names`() {
        #expect(lines.contains("cancelled: 1, 1"))
        #expect(lines.contains(#"calls: ["cancelled", "cancelled", "cancelled"]"#))
    }

    @Test func `a message of Protocol Buffers comes back`() throws {
        let saved = try #require(requests.first { $0.path == "/profile" })

        #expect(saved["Content-Type"] == "application/x-protobuf")
        #expect(lines.contains("profile: ada"))
    }

    @Test func `what was under way when the program ended is sent by the next process`() {
        #expect(lines.last == #"under way: ["sending"]"#)
        #expect(second.stdout.contains("left by the process before: follow-7, delivered\n"))
        #expect(second.status == 0, "\(second.stderr)")
        #expect(later.contains { $0.method == "PUT" && $0.path == "/slow/follows" && $0.text == #"{"user":7}"# })
    }

    @Test func `what is taken back by category or tag is never sent`() {
        #expect(lines.contains("taken back: 2 likes, 1 comment"))
        #expect(lines.contains(#"waiting: ["comment-1"]"#))
        #expect(lines.contains(#"sent: ["POST"]"#))
        #expect(requests.map(\.path).filter { $0.hasPrefix("/posts") } == ["/posts/1/comments", "/posts/3/comments"])
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
