import Plugboard
import PlugboardQueue
import PlugboardSQLite
import TestSupport
import Testing

@testable import PlugboardQueuePostgreSQL

/// What programs insert inside their own transactions.
@Suite(.enabled(if: PostgreSQLProcess.isAvailable, PostgreSQLProcess.skipped), .timeLimit(.minutes(2)))
struct QueueOutboxTests {
    @Test func `a row is sent after its transaction is committed, and not before`() async throws {
        let scene = try await PostgreSQLScene()
        let names = QueueNames(schema: scene.schema)
        let worker = try scene.kernel()
        let program = try PostgreSQLConnection(scene.server.url)
        try program.script("BEGIN")
        _ = try program.run([
            .init(
                names("INSERT INTO @outbox (id, url, fields, body) VALUES ('t', $1, $2::text::jsonb, 'hello')"),
                [.text(scene.origin.url("/a")), .text(#"{"X-Kind": "a 'quoted' e"}"#)])
        ])
        // A claim sees what is committed.
        _ = try await worker.queue.replay()
        let before = scene.requests.lines

        try program.script("COMMIT")
        let worked = try await PostgreSQLScene.outcome(of: "t", worker)

        #expect(before.isEmpty && worked.hasSucceeded)
        #expect(scene.requests.lines == ["POST /a a 'quoted' e 5"])
        #expect(try scene.run("SELECT count(*) FROM @outbox") == [["0"]])
        await worker.shutDown()
    }

    @Test func `rows of a category are sent in their order, behind those that were queued before`() async throws {
        let scene = try await PostgreSQLScene()
        let writer = try scene.kernel(settings: ["automatic": false])
        _ = try await writer.sendLater(scene.post("first", category: "c"))
        try scene.run(
            "INSERT INTO @outbox (url, category) SELECT '\(scene.origin.url("/"))' || n, 'c' FROM generate_series(1, 250) n"
        )

        let worker = try scene.kernel()
        while scene.requests.lines.count < 251 { try await Task.sleep(for: .milliseconds(10)) }

        let paths = scene.requests.lines.map { String($0.split(separator: " ")[1]) }
        #expect(paths == ["/first"] + (1...250).map { "/\($0)" })
        for kernel in [worker, writer] { await kernel.shutDown() }
    }

    @Test(arguments: [
        "(url) VALUES ('ftp://a.test/')", "(url) VALUES ('http://user:secret' || chr(64) || 'a.test/')",
        "(url) VALUES (E'http://a.test/\\nx')", "(url, method) VALUES ('http://a.test/', 'GET /')",
        "(url, fields) VALUES ('http://a.test/', '[]')", "(url, fields) VALUES ('http://a.test/', '{\"a b\": \"c\"}')",
        "(url, fields) VALUES ('http://a.test/', '{\"a\": 1}')",
        "(url, fields) VALUES ('http://a.test/', '{\"a\": \"b\\r\\nc: d\"}')",
        "(url, id) VALUES ('http://a.test/', '')",
    ])
    func `a row that cannot be sent is refused where it is inserted`(_ row: String) async throws {
        let scene = try await PostgreSQLScene()

        let error = #expect(throws: SQLiteFailure.self) { try scene.run("INSERT INTO @outbox \(row)") }

        #expect(error?.message.contains("check constraint") == true, "\(error?.message ?? "")")
    }

    @Test func `a large body is kept in pieces, and an origin with its own port is that of a request`() async throws {
        let scene = try await PostgreSQLScene()
        try scene.run(
            "INSERT INTO @outbox (id, url, body) VALUES ('t', 'http://A.test:80/x', decode(repeat('ab', 300000), 'hex'))"
        )

        try scene.run("SELECT @take_in('o', 100, 10000000, false)")

        #expect(try scene.run("SELECT origin, length FROM @request") == [["http://a.test", "300000"]])
        #expect(
            try scene.run("SELECT octet_length(bytes) FROM @piece ORDER BY number") == [
                ["131072"], ["131072"], ["37856"],
            ])
    }
}

extension PostgreSQLScene {
    /// The outcome of a request that is not in the queue yet.
    static func outcome(of ticket: String, _ kernel: Kernel) async throws -> QueuedRequest {
        while true {
            do throws(PlugboardError) { return try await kernel.queue.outcome(of: ticket) } catch {
                guard error.code == .queueUnknown else { throw error }
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
