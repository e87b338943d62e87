import Plugboard
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
                            default: .usual(request) ?? ServerResponse(status: 204)
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

    @Test func `calls are suspended, resumed and cancelled, by their names and when those under way have ended`() {
        #expect(
            lines.drop { !$0.hasPrefix("one: ") }.prefix(10) == [
                "one: suspended", "one: running", "one: cancelled", "cancelled: 1", "cancelled: 1", "cancelled: 1",
                "cancelled: 1", "cancelled: 1",
                #"calls: ["cancelled", "cancelled", "cancelled", "cancelled", "cancelled"]"#,
                "finished: succeeded, cancelled",
            ])
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
        #expect(lines.contains(#"waiting: ["comment-1", "like-3"]"#))
        #expect(lines.contains(#"sent: ["POST"]"#))
        // A new one of the category goes behind the one that waits.
        #expect(
            requests.map(\.path).filter { $0.hasSuffix("/comments") } == ["/posts/1/comments", "/posts/3/comments"])
        #expect(requests.first { $0.path == "/posts/1/comments" }?["Idempotency-Key"] != nil)
    }

    @Test func `a call ends when its request is kept, and is told later that the server has it`() {
        #expect(lines.filter { $0.hasPrefix("like: ") } == ["like: queued", "like: delivered"])
        #expect(!lines.contains("never printed"))
        #expect(requests.filter { $0.path.hasSuffix("/like") }.map(\.path) == ["/posts/3/like"])
    }

    @Test func `parameters are sent in the query and as bodies of all kinds`() {
        #expect(
            lines.drop { !$0.hasPrefix("query: ") }.prefix(6) == [
                "query: GET /said?text=sch%C3%B6n%20%26%20gut&page=2",
                "form: POST /said?page=2 text=sch%C3%B6n+%26+gut",
                #"json: POST /said?page=2 {"text":"schön & gut"}"#, "plist: </plist>",
                #"list: PUT /said ["new","old"]"#,
                "bytes: PUT /said raw",
            ])
        #expect(
            requests.contains { $0.target == "/said?page=2" && $0.text.contains("<string>schön &amp; gut</string>") })
    }

    @Test func `responses are read by their content type or by a codec, transformed, or refused`() {
        #expect(
            lines.drop { !$0.hasPrefix("json: from") }.prefix(9) == [
                "json: from JSON", "plist: from a list", "xml: from XML", "text: grün", "raw: 5 bytes",
                "by a codec: as JSON", "refused: response.type", "transformed: unwrapped", "model: a card from JSON",
            ])
    }

    @Test func `opposite actions that wait cancel each other out`() {
        #expect(lines.filter { $0.hasPrefix("bookmarks: ") } == ["bookmarks: 1", "bookmarks: 0"])
        #expect(!requests.contains { $0.path.hasSuffix("/bookmark") })
    }

    @Test func `the network is told at the start`() async throws {
        let kernel = try Kernel()
        let network = try kernel.reachability().current
        await kernel.shutDown()

        #expect(lines.contains("network: \(network.isReachable ? "\(network.kind)" : "not reachable")"))
    }
}
