import PlugboardJSON
import TestSupport
import Testing

/// `plugboard queue …`
struct QueueCommandTests {
    private let folder: TemporaryFolder
    private let configuration: String

    init() throws {
        folder = try TemporaryFolder()
        let file = folder.file("queue.sqlite")
        configuration = try folder.write(
            "plugboard.json", #"{"plugins": [{"id": "queue", "settings": {"path": "\#(file)"}}]}"#)
    }

    private func queue(_ words: String...) async throws -> ProcessRunner.Outcome {
        try await Command.running(["queue"] + words + ["--config", configuration])
    }

    private func ids(_ outcome: ProcessRunner.Outcome) throws -> [String?]? {
        try JSONParser.parse(outcome.stdout)["requests"]?.arrayValue?.map { $0["id"]?.stringValue }
    }

    @Test func `a request without a server is queued, listed without being sent, replayed and acknowledged`()
        async throws
    {
        let closed = try ClosedPort()
        let posting = try await Command.running([
            "post", closed.url("/a"), "--json", "1", "--attribute", "queue.id=one", "--config", configuration,
        ])
        let server = try LoopbackServer(opening: closed, .responding { _ in ServerResponse(status: 201) })

        let listed = try await queue("list")
        let shown = try await queue("show", "id=one")
        let before = server.requests.count
        let replayed = try await queue("replay")
        let outcome = try await queue("outcome", "id=one")
        let acknowledged = try await queue("acknowledge", "id=one")
        let after = try await queue("list")

        #expect(posting.status == 106 && posting.stderr.contains("Its ticket: one"))
        #expect(try ids(listed) == ["one"])
        #expect(shown.stdout.contains("Content-Type") || shown.stdout.contains("content-type"))
        #expect(before == 0)
        #expect(try JSONParser.parse(replayed.stdout)["done"] == 1, "\(replayed.stdout) \(replayed.stderr)")
        #expect(server.requests.map(\.text) == ["1"])
        #expect(try JSONParser.parse(outcome.stdout)["status"] == 201)
        #expect(try JSONParser.parse(acknowledged.stdout)["acknowledged"] == 1)
        #expect(try ids(after) == [])
    }

    @Test func `a replay by ticket sends no other request of an automatic queue`() async throws {
        let closed = try ClosedPort()
        for name in ["a", "b", "c"] {
            _ = try await Command.running([
                "post", closed.url("/\(name)"), "--json", "1", "--attribute", "queue.id=\(name)", "--config",
                configuration,
            ])
        }
        let server = try LoopbackServer(opening: closed, .responding { _ in ServerResponse(status: 201) })

        let replayed = try await queue("replay", "id=b")

        #expect(server.requests.map(\.target) == ["/b"])
        #expect(try JSONParser.parse(replayed.stdout)["waiting"] == 2, "\(replayed.stdout) \(replayed.stderr)")
    }

    @Test func `what is dropped is not sent, and a drop needs a word about what`() async throws {
        let closed = try ClosedPort()
        for tag in ["a", "b"] {
            _ = try await Command.running([
                "post", closed.url("/\(tag)"), "--json", "1", "--attribute", "queue.tag=\(tag)", "--config",
                configuration,
            ])
        }

        let nothing = try await queue("drop")
        let dropped = try await queue("drop", "tag=a")
        let listed = try await queue("list")

        #expect(nothing.status != 0 && nothing.stderr.contains("all=true"))
        #expect(try JSONParser.parse(dropped.stdout)["dropped"] == 1)
        #expect(try JSONParser.parse(listed.stdout)["requests"]?.arrayValue?.map { $0["tag"]?.stringValue } == ["b"])
    }
}
