import Glibc
import Plugboard
import PlugboardKit
import PlugboardQueue
import PlugboardSQLite
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue
@testable import PlugboardQueuePostgreSQL

/// A server that ends, that does not respond, or that is not the right one.
@Suite(.enabled(if: PostgreSQLProcess.isAvailable, PostgreSQLProcess.skipped), .timeLimit(.minutes(3)))
struct PostgreSQLOutageTests {
    @Test func `while the server is gone nothing hangs, and afterwards nothing is lost`() async throws {
        let scene = try await PostgreSQLScene(try await PostgreSQLProcess())
        let kernel = try scene.kernel(settings: ["automatic": false])
        let first = try await kernel.sendLater(scene.post("a"))
        scene.server.kill()

        let start = ContinuousClock.now
        let error = await #expect(throws: PlugboardError.self) { try await kernel.sendLater(scene.post("b")) }
        let failing = ContinuousClock.now - start
        let response = try await kernel.send(scene.post("c"))
        try await scene.server.start()
        // Its connections find the server after a pause.
        while (try? await kernel.queue.statistics()) == nil { try await Task.sleep(for: .milliseconds(10)) }
        let third = try await kernel.sendLater(scene.post("d"))
        _ = try await kernel.queue.replay()

        #expect(error?.code == .queueFile && failing < .seconds(10) && response.status == 200)
        for ticket in [first, third] { #expect(try await kernel.queue.outcome(of: ticket).hasSucceeded) }
        #expect(scene.requests.lines.sorted() == ["POST /a - 4", "POST /c - 4", "POST /d - 4"])
        await kernel.shutDown()
    }

    @Test func `a server that stops responding is given up, and used again when it goes on`() async throws {
        let scene = try await PostgreSQLScene(try await PostgreSQLProcess("-c", "fsync=off"))
        let kernel = try scene.kernel(settings: ["automatic": false])
        _ = try await kernel.sendLater(scene.post("a", category: "c"))
        scene.server.signal(SIGSTOP)

        let error = await #expect(throws: PlugboardError.self) { try await kernel.sendLater(scene.post("b")) }
        let start = ContinuousClock.now
        let again = await #expect(throws: PlugboardError.self) { try await kernel.sendLater(scene.post("c")) }
        let failing = ContinuousClock.now - start
        scene.server.signal(SIGCONT)
        while (try? await kernel.queue.statistics()) == nil { try await Task.sleep(for: .milliseconds(10)) }

        #expect(error?.code == .queueFile && again?.code == .queueFile && failing < .seconds(5))
        #expect(try await kernel.queue.list(category: "c").count == 1)
        await kernel.shutDown()
    }

    @Test func `a server that is restarted between two requests is not noticed`() async throws {
        let scene = try await PostgreSQLScene(try await PostgreSQLProcess("-c", "fsync=off"))
        let kernel = try scene.kernel(settings: ["automatic": false])
        _ = try await kernel.sendLater(scene.post("a"))
        scene.server.kill()
        try await scene.server.start()

        _ = try await kernel.sendLater(scene.post("b"))

        #expect(try await kernel.queue.statistics().waiting == 2)
        await kernel.shutDown()
    }

    @Test func `a database without the tables, or with newer ones, is refused with what to do`() async throws {
        let scene = try await PostgreSQLScene()
        let empty = try scene.kernel(settings: ["schema": "elsewhere"])
        let missing = await #expect(throws: PlugboardError.self) { try await empty.queue.statistics() }
        try scene.run("UPDATE @version SET version = 99")
        let kernel = try scene.kernel()

        let newer = await #expect(throws: PlugboardError.self) { try await kernel.queue.statistics() }
        let connection = try PostgreSQLConnection(scene.server.url)
        let refused = #expect(throws: SQLiteFailure.self) {
            try QueueSchemaVersion.migrate(connection, QueueNames(schema: scene.schema))
        }

        #expect(missing?.reason.contains("plugboard queue migrate") == true, "\(missing?.reason ?? "")")
        #expect(newer?.reason.contains("newer") == true && refused?.message.contains("newer") == true)
        for kernel in [empty, kernel] { await kernel.shutDown() }
    }

    @Test func `the command migrate makes the tables, once`() async throws {
        let scene = try await PostgreSQLScene()
        let schema = "it's made \"here\" @ $$ \\ \(UInt32.random(in: 0 ... .max))"
        let kernel = try scene.kernel(settings: ["schema": .string(schema)])

        let first = try await kernel.queue.migrate()
        let second = try await kernel.queue.migrate()
        let ticket = try await kernel.sendLater(scene.post("a"))

        #expect(first.contains("version 1 now") && second.contains("version 1 already"))
        #expect(try await kernel.queue.outcome(of: ticket).hasSucceeded)
        await kernel.shutDown()
    }

    @Test(arguments: [nil, "feed"])
    func `a request whose addition is in doubt stays where another has found it`(category: String?) async throws {
        let scene = try await PostgreSQLScene()
        let connection = try PostgreSQLConnection(scene.server.url)
        func session(_ adder: String) -> PostgreSQLSession {
            PostgreSQLSession(
                connection, QueueNames(schema: scene.schema), owner: adder, adder: adder, limits: QueueLimits(),
                clock: .server, isAgain: false)
        }
        func entry(_ id: String) -> NewEntry {
            var entry = NewEntry(id: id, method: "POST", url: "http://a.test/", head: "{}")
            (entry.length, entry.category) = (-1, category)
            return entry
        }
        _ = try session("in doubt").add([entry("found"), entry("alone")], now: 0, time: 0)
        let found = try session("another").add([entry("found")], now: 0, time: 0)

        try session("again").forget(["found", "alone"], of: ["in doubt"])

        #expect(found.placements == [.known])
        #expect(try scene.run("SELECT id FROM @request") == [["found"]])
    }

    @Test(arguments: [
        "mysql://secret@host/db", "postgresql://secret@host:port%zz/db", "postgresql://host/db?secret=1", "secret",
    ])
    func `a wrong URL is refused before the start, and not printed`(url: String) async throws {
        let scene = try await PostgreSQLScene()

        let error = #expect(throws: PlugboardError.self) { try scene.kernel(settings: ["store": .string(url)]) }

        #expect(error?.reason.contains("postgresql://") == true && error?.reason.contains("secret") == false)
    }

    @Test func `what was done before its reply was lost is not done twice`() async throws {
        let scene = try await PostgreSQLScene()
        let connection = try PostgreSQLConnection(scene.server.url)
        func session(isAgain: Bool) -> PostgreSQLSession {
            PostgreSQLSession(
                connection, QueueNames(schema: scene.schema), owner: "me", adder: "first", limits: QueueLimits(),
                clock: .server, isAgain: isAgain)
        }
        var (entry, journaled) = (
            NewEntry(id: "a", method: "POST", url: "http://a.test/", head: "{}"),
            NewEntry(id: "b", method: "POST", url: "http://a.test/", head: "{}")
        )
        (entry.length, journaled.isJournal) = (-1, true)

        let placements = try [false, true].map { isAgain in
            try session(isAgain: isAgain).add([entry, journaled], now: 0, time: 0).placements
        }
        let claimed = try session(isAgain: false).claim(QueueClaim(count: 5), now: 0, time: 0).entries.map(\.id)
        // The process did not get the reply to its claim.
        let again = session(isAgain: true)
        try again.takeBack(running: [], now: 0, time: 0)
        let taken = try again.claim(QueueClaim(count: 5), now: 0, time: 0).entries.map(\.id)

        try session(isAgain: false).forget(["a", "b"], of: ["first"])

        #expect(placements == [[.queued, .queued], [.queued, .queued]])
        #expect(try scene.run("SELECT count(*) FROM @request") == [["0"]])
        #expect(claimed == ["a"] && taken == ["a"])
    }
}
