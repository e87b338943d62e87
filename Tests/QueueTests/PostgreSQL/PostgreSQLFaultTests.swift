import Plugboard
import PlugboardJSON
import PlugboardQueue
import PlugboardSQLite
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue
@testable import PlugboardQueuePostgreSQL

/// Connections that break at the worst moment, rows that others wrote, and settings of a server that change what it
/// says.
@Suite(.enabled(if: PostgreSQLProcess.isAvailable, PostgreSQLProcess.skipped), .timeLimit(.minutes(2)))
struct PostgreSQLFaultTests {
    @Test func `a request whose connection breaks while it is added is added once`() async throws {
        let scene = try await PostgreSQLScene()
        let kernel = try scene.kernel(settings: ["automatic": false])
        _ = try await kernel.sendLater(scene.post("a"))
        let other = try PostgreSQLConnection(scene.server.url)
        try other.script(QueueNames(schema: scene.schema)("BEGIN; LOCK TABLE @request"))

        async let ticket = kernel.sendLater(scene.post("b"))
        let end = """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE wait_event_type = 'Lock' AND query LIKE '%\(scene.schema)%'
            """
        while try scene.run(end).isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        try other.script("COMMIT")

        #expect(try await !ticket.isEmpty)
        #expect(try await kernel.queue.statistics().waiting == 2)
        await kernel.shutDown()
    }

    @Test func `a request that the server does not take fails alone`() async throws {
        let scene = try await PostgreSQLScene()
        let kernel = try scene.kernel(settings: ["automatic": false])
        let begun = Record()
        let observation = kernel.observe(["created"]) { event, _ in begun.add(event.id) }
        defer { observation.end() }
        _ = try await kernel.queue.statistics()
        let other = try PostgreSQLConnection(scene.server.url)
        try other.script(QueueNames(schema: scene.schema)("BEGIN; LOCK TABLE @request"))

        async let first = kernel.sendLater(scene.post("a"))
        let waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%\(scene.schema)%'"
        while try scene.run(waits).isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        // These three are added together, when the first is.
        async let good = kernel.sendLater(scene.post("b", category: "c"))
        async let bad = kernel.sendLater(scene.post("c", category: "a\0b"))
        async let last = kernel.sendLater(scene.post("d"))
        while begun.lines.count < 4 { try await Task.sleep(for: .milliseconds(10)) }
        try other.script("COMMIT")

        #expect(try await ![first, good, last].contains(""))
        var refused = false
        do { _ = try await bad } catch { refused = true }
        #expect(refused)
        #expect(try await kernel.queue.statistics().waiting == 3)
        await kernel.shutDown()
    }

    @Test func `numbers of requests leave every other one free, whoever adds at the same time`() async throws {
        let scene = try await PostgreSQLScene()
        await withThrowingTaskGroup { group in
            for owner in ["a", "b"] {
                group.addTask {
                    let session = try scene.session(owner)
                    for number in 0..<100 {
                        let entry = NewEntry(id: "\(owner)\(number)", method: "GET", url: "http://a.test/", head: "{}")
                        _ = try session.add([entry], now: 0, time: 0)
                    }
                }
            }
        }

        #expect(try scene.run("SELECT count(*), count(DISTINCT sequence % 2) FROM @request") == [["200", "1"]])
    }

    @Test func `a body whose first piece fails does not hold its line`() async throws {
        let scene = try await PostgreSQLScene()
        let session = try scene.session("a")

        #expect(throws: SQLiteFailure.self) {
            try session.together(removes: false) { () throws(SQLiteFailure) in
                _ = try session.begin("t", holding: "c:c", now: 0, time: 0)
                throw SQLiteFailure.full("no room")
            }
        }

        #expect(try scene.run("SELECT count(*) FROM @request") == [["0"]])
    }

    @Test func `times, versions and names that somebody else wrote stop nothing`() async throws {
        let scene = try await PostgreSQLScene()
        let (session, now) = (try scene.session("a"), Int64(3) << 60)
        _ = try session.add([NewEntry(id: "t", method: "GET", url: "http://a.test/", head: "{}")], now: 0, time: 0)
        var found: [Int64?] = []
        for due in [Int64.max, .min] {
            try scene.run("UPDATE @request SET due = \(due)")
            found.append(try session.nextDue(except: [], after: .min, now: now))
        }
        try scene.run("UPDATE @version SET version = -1")
        let connection = try PostgreSQLConnection(scene.server.url)

        #expect(found[0] ?? 0 > now && found[1] ?? now < now)
        #expect(throws: SQLiteFailure.self) {
            try QueueSchemaVersion.migrate(connection, QueueNames(schema: scene.schema))
        }
        let long = String(repeating: "é", count: 40)
        #expect(throws: PlugboardError.self) { try scene.kernel(settings: ["schema": .string(long)]) }
    }

    @Test(arguments: [
        "created = -9223372036854775808, due = -9223372036854775808, completed = 9223372036854775807",
        "length = -5, priority = 9223372036854775807, attempts = 2147483646, failures = 2147483647", "length = 1 << 61",
        "head = '[]'", "head = '{\"fields\": [[1, 2], []]}'", "method = E'G\\r\\nT'", "url = 'nonsense'",
        "url = E'http://\\n'", "fields = '{', status = -1, content = '\\x00', reason = E'\\x1b[2J'", "state = 77",
        "line = 'x', category = 'y'",
    ])
    func `a row that somebody else wrote is shown, and ends or waits`(_ change: String) async throws {
        let scene = try await PostgreSQLScene()
        let kernel = try scene.kernel(settings: ["automatic": false])
        let ticket = try await kernel.sendLater(scene.post("a"))
        try scene.run("UPDATE @request SET \(change)")

        let list = try await kernel.queue.list()
        _ = try await kernel.json("queue", "show", ["id": .string(ticket)])
        _ = try await kernel.queue.replay()

        #expect(list.count == 1)
        #expect(try await kernel.queue.statistics().sending == 0)
        await kernel.shutDown()
    }

    @Test func `bodies are read where the server writes them in another form`() async throws {
        let scene = try await PostgreSQLScene()
        let option = "&options=-cbytea_output%3Descape"
        let kernel = try scene.kernel(settings: ["store": .string(scene.server.url + option)])

        let outcome = try await kernel.queue.outcome(of: kernel.sendLater(scene.post("a")))

        #expect(outcome.responseBody?.text == "carried out" && scene.requests.lines == ["POST /a - 4"])
        await kernel.shutDown()
    }

    @Test func `a database that hides what others have committed is refused`() async throws {
        let scene = try await PostgreSQLScene()
        let option = "&options=-cdefault_transaction_isolation%3Dserializable"
        let kernel = try scene.kernel(settings: ["store": .string(scene.server.url + option)])

        let error = await #expect(throws: PlugboardError.self) { try await kernel.queue.statistics() }

        #expect(error?.reason.contains("read committed") == true)
        await kernel.shutDown()
    }

    @Test func `the command check says what is missing`() async throws {
        let scene = try await PostgreSQLScene()
        try scene.run(
            """
            DO $$ BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN END $$
            """)
        try scene.run("GRANT USAGE ON SCHEMA \(scene.schema) TO reader")
        try scene.run("GRANT SELECT ON ALL TABLES IN SCHEMA \(scene.schema) TO reader")
        let reader = scene.server.url.replacing("user=plugboard", with: "user=reader")
        func problems(_ settings: JSONObject) async throws -> [String] {
            let kernel = try scene.kernel(settings: settings)
            let reply = try await kernel.json("queue", "check")
            await kernel.shutDown()
            return reply["problems"]?.arrayValue?.compactMap(\.stringValue) ?? ["no reply"]
        }

        #expect(try await problems([:]) == [])
        #expect(try await problems(["schema": "elsewhere"]).first?.contains("plugboard queue migrate") == true)
        #expect(try await problems(["store": .string(reader)]).first?.contains("permission denied") == true)
        #expect(try scene.run("SELECT count(*) FROM @request") == [["0"]])
    }
}

extension PostgreSQLScene {
    /// A session of a process on a connection of its own.
    fileprivate func session(_ owner: String) throws -> PostgreSQLSession {
        PostgreSQLSession(
            try PostgreSQLConnection(server.url), QueueNames(schema: schema), owner: owner, adder: owner,
            limits: QueueLimits(), clock: .server, isAgain: false)
    }
}
