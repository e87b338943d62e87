import Plugboard
import PlugboardJSON
import PlugboardSQLite
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// What a process holds in the file: a request that it sends, a lease, a file that cannot be written.
@Suite(.timeLimit(.minutes(2)))
struct QueueHoldTests {
    @Test func `a request in the journal that cannot be given back is sent when the file can be written again`()
        async throws
    {
        let (shore, holder) = (try Shore(), Holder("a"))
        let path = shore.folder.file("queue.sqlite")
        let kernel = try shore.kernel(settings: ["delay": "1ms", "delayLimit": "1ms"], beside: [holder.plugin])
        var request = Shore.post("a", category: "c")
        (request.queue.mode, request.queue.id) = (.journal, "mine")
        let sending = kernel.begin(request)
        try await holder.came.opened(for: 1)
        let other = SQLiteStore(.file(path), schema: QueueSchema.schema) { _ in }
        try other.performAndWait { (connection) throws(SQLiteFailure) in
            try connection.script(
                """
                CREATE TRIGGER refuse BEFORE UPDATE OF state ON request WHEN OLD.state = 3 BEGIN
                    SELECT RAISE(ABORT, 'no change');
                END
                """)
        }

        holder.release("a")
        let error = await #expect(throws: PlugboardError.self) { try await sending.response }
        try other.performAndWait { (connection) throws(SQLiteFailure) in
            try connection.script("DROP TRIGGER refuse")
        }
        shore.isOnline = true
        let outcome = try await kernel.queue.outcome(of: "mine", within: .seconds(60))

        #expect(error?.code == .queued && error?.queueTicket == "mine")
        #expect(outcome.hasSucceeded)
        await kernel.shutDown()
    }

    @Test func `a request in the journal that was dropped meanwhile fails with its own failure`() async throws {
        let (shore, holder) = (try Shore(), Holder("a"))
        let kernel = try shore.kernel(beside: [holder.plugin])
        var request = Shore.post("a")
        request.queue.mode = .journal
        let sending = kernel.begin(request)
        try await holder.came.opened(for: 1)
        try change(shore.folder.file("queue.sqlite")) { (connection) throws(SQLiteFailure) in
            try connection.run("DELETE FROM request")
        }

        holder.release("a")
        let error = await #expect(throws: PlugboardError.self) { try await sending.response }

        #expect(error?.code == .transportConnect)
        #expect(kernel.counters["queue.queued"] ?? 0 == 0)
        await kernel.shutDown()
    }

    @Test func `a request that another process has taken is not sent on`() async throws {
        let (shore, holder) = (try Shore(isManual: true), Holder("taken", "kept"))
        let path = shore.folder.file("queue.sqlite")
        shore.isOnline = true
        let kernel = try shore.kernel(beside: [holder.plugin])
        let taken = try await kernel.sendLater(Shore.post("taken"))
        try await holder.came.opened(for: 1)
        var request = Shore.post("kept")
        request.queue.mode = .journal
        let kept = kernel.begin(request)
        try await holder.came.opened(for: 2)
        func lease() throws -> Int64? {
            try change(path) { (connection) throws(SQLiteFailure) in
                try connection.first("SELECT lease FROM request WHERE id <> ?", .text(taken)) { $0.integer(0) }
            }
        }
        let other = ProcessIdentity().text
        try change(path) { (connection) throws(SQLiteFailure) in
            try connection.run("UPDATE request SET owner = ? WHERE id = ?", .text(other), .text(taken))
        }

        let before = try lease()
        // A third of it, after which it is renewed.
        shore.clock?.advance(by: .seconds(10))
        while try lease() == before { await Task.yield() }
        _ = try await kernel.queue.statistics()
        _ = try await kernel.send(Request(.get, "http://a.test/x"))
        for name in ["taken", "kept"] { holder.release(name) }
        let status = try await kept.response.status
        await kernel.shutDown()

        #expect(status == 200 && shore.paths == ["/x", "/kept"])
    }

    @Test func `a request that is taken while the kernel closes is not sent, and stays as it was`() async throws {
        let shore = try Shore()
        let path = shore.folder.file("queue.sqlite")
        let writer = try shore.kernel(settings: ["automatic": false])
        _ = try await writer.sendLater(Shore.post("a"))
        await writer.shutDown()
        shore.isOnline = true
        let (file, closes) = (try await HeldFile(path), Gate())

        // It begins to take what is due as soon as it is started, and waits for the lock.
        let kernel = try shore.kernel(watch: { event in if event.id == "closing" { closes.admit() } })
        async let closing: Void = kernel.shutDown()
        try await closes.opened(for: 1)
        file.release()
        await closing

        let row = try change(path) { (connection) throws(SQLiteFailure) in
            try connection.first("SELECT state, touched FROM request") { [$0.integer(0), $0.integer(1)] }
        }
        #expect(shore.attempts.admitted == 0)
        #expect(row == [EntryState.ready.rawValue, 0])
    }

    @Test func `requests that are dropped for others of the same transaction are queued and then dropped`() async throws
    {
        let shore = try Shore()
        let events = Record()
        let kernel = try shore.kernel(settings: ["automatic": false, "limit": 2, "whenFull": "dropOldest"]) { event in
            if event.id == "queue.dropped" { events.add("\(event.id) \(event["id"] ?? "")") }
        }
        _ = try await kernel.queue.statistics()
        let file = try await HeldFile(shore.folder.file("queue.sqlite"))
        let requests = ["a", "b", "c", "d"].map { name in
            var request = Shore.post(name)
            (request.queue.mode, request.queue.id) = (.later, name)
            return request
        }
        let handles = await Shore.begin(requests, in: kernel)
        file.release()
        for handle in handles { await #expect(throws: PlugboardError.self) { try await handle.response } }

        let waiting = try await kernel.queue.list(state: .waiting).map(\.id)
        await kernel.shutDown()

        #expect(events.lines == ["queue.dropped a", "queue.dropped b"])
        #expect(waiting == ["c", "d"])
    }

    @Test func `a command has ended when nothing is sent, and nothing is being taken from the file`() {
        var state = Replayer.State()
        let done: @Sendable () -> Void = {}
        state.byHand = [(Selection(), done)]

        state.isClaiming = true
        let whileTaking = state.takeEndedCommands().count
        state.isClaiming = false
        let after = state.takeEndedCommands().count

        #expect(whileTaking == 0 && after == 1)
        #expect(state.byHand.isEmpty)
    }
}
