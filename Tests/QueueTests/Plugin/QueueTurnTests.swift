import Plugboard
import PlugboardJSON
import PlugboardSQLite
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// The order of a category's requests that are under way at the same time.
@Suite(.timeLimit(.minutes(2)))
struct QueueTurnTests {
    private func request(_ name: String, _ mode: QueueMode) -> Request {
        var request = Shore.post(name, category: "c")
        request.queue.mode = mode
        return request
    }

    /// Returns when all that was begun has come as far as it can without the network.
    private func settled(_ kernel: Kernel) async throws {
        for _ in 0..<3 {
            _ = try await kernel.queue.statistics()
            _ = try await kernel.send(Request(.get, "http://a.test/x"))
        }
    }

    /// How many requests are being written to the file.
    private func writing(_ shore: Shore) throws -> Int64 {
        try change(shore.folder.file("queue.sqlite")) { (connection) throws(SQLiteFailure) in
            try connection.first("SELECT count(*) FROM request WHERE state = 0") { $0.integer(0) } ?? 0
        }
    }

    @Test(arguments: [QueueMode.onFailure, .journal])
    func `requests of a category are sent one after the other, also while none is queued`(mode: QueueMode)
        async throws
    {
        let (shore, holder) = (try Shore(), Holder("1"))
        shore.isOnline = true
        let kernel = try shore.kernel(beside: [holder.plugin])

        let handles = await Shore.begin((1...4).map { request("\($0)", mode) }, in: kernel)
        try await holder.came.opened(for: 1)
        try await settled(kernel)
        let before = holder.steps.lines.filter { !$0.hasSuffix("x") }
        holder.release("1")
        for handle in handles { #expect(try await handle.response.status == 200) }

        #expect(before == ["begin 1"])
        #expect(
            holder.steps.lines.filter { !$0.hasSuffix("x") } == (1...4).flatMap { ["begin \($0)", "end \($0)"] })
        await kernel.shutDown()
    }

    @Test(arguments: [QueueMode.onFailure, .journal])
    func `a response whose body is not read delays no other request of its category`(mode: QueueMode) async throws {
        let shore = try Shore()
        shore.isOnline = true
        let kernel = try shore.kernel()

        let first = try await kernel.send(request("1", mode))
        let second = try await kernel.send(request("2", mode))

        #expect(first.status == 200 && second.status == 200)
        #expect(try await first.body.text() == "carried out")
        await kernel.shutDown()
    }

    @Test(arguments: [true, false])
    func `a request for later is not sent before the exchange that came before it has its outcome`(succeeds: Bool)
        async throws
    {
        let (shore, holder) = (try Shore(), Holder("a"))
        let kernel = try shore.kernel(settings: ["delay": "1h", "delayLimit": "2h"], beside: [holder.plugin])
        let first = kernel.begin(request("a", .onFailure))
        try await holder.came.opened(for: 1)

        let later = try await kernel.sendLater(request("b", .onFailure))
        let early = try await kernel.queue.outcome(of: later, within: .milliseconds(1))
        try await kernel.queue.replay()
        let before = holder.steps.lines
        shore.isOnline = succeeds
        holder.release("a")
        let outcome = try? await first.response.status
        shore.isOnline = true
        try await kernel.queue.replay()

        #expect(before == ["begin a"] && early.state == .waiting)
        #expect(outcome == (succeeds ? 200 : nil))
        #expect(shore.paths == ["/a", "/b"])
        await kernel.shutDown()
    }

    @Test(arguments: [QueueMode.onFailure, .journal])
    func `a request that fails while the later one with its collapse key is queued is replaced by that`(
        mode: QueueMode
    ) async throws {
        let (shore, holder) = (try Shore(), Holder("draft1"))
        let kernel = try shore.kernel(settings: ["automatic": false], beside: [holder.plugin])
        func draft(_ number: Int, _ id: String) -> Request {
            var request = Shore.post("draft\(number)")
            (request.queue.collapseKey, request.queue.id) = ("draft", id)
            return request
        }
        var one = draft(1, "one")
        one.queue.mode = mode
        let first = kernel.begin(one)
        try await holder.came.opened(for: 1)
        _ = try await kernel.sendLater(draft(2, "two"))

        holder.release("draft1")
        let error = await #expect(throws: PlugboardError.self) { try await first.response }
        shore.isOnline = true
        try await kernel.queue.replay()

        #expect(error?.code == .queued)
        #expect(shore.paths == ["/draft2"])
        #expect(try await kernel.queue.outcome(of: "one").code == .queueCollapsed)
        await kernel.shutDown()
    }

    @Test func `requests that are not kept pass beside others of their category, but not before queued ones`()
        async throws
    {
        let (shore, holder) = (try Shore(), Holder("1", "2", "queued"))
        shore.isOnline = true
        let kernel = try shore.kernel(beside: [holder.plugin])
        func get(_ name: String) -> Request {
            var request = Request(.get, "http://a.test/\(name)")
            request.queue.category = "c"
            return request
        }
        let write = kernel.begin(request("1", .onFailure))
        try await holder.came.opened(for: 1)

        let read = kernel.begin(get("2"))
        try await holder.came.opened(for: 2)
        let other = try await kernel.send(get("3"))
        for name in ["1", "2"] { holder.release(name) }
        for handle in [write, read] { #expect(try await handle.response.status == 200) }
        _ = try await kernel.sendLater(request("queued", .later))
        try await holder.came.opened(for: 4)
        let last = kernel.begin(get("4"))
        try await settled(kernel)
        let before = holder.steps.lines
        holder.release("queued")
        let status = try await last.response.status

        #expect(other.status == 200 && status == 200)
        #expect(!before.contains("begin 4") && before.contains("begin queued"))
        await kernel.shutDown()
    }

    @Test func `a large request for later is not overtaken by a small one`() async throws {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["automatic": false])
        var large = request("large", .later)
        large.body = .bytes([UInt8](repeating: 1, count: 3_000_000))

        let handles = await Shore.begin([large, request("small", .later)], in: kernel)
        for handle in handles { await #expect(throws: PlugboardError.self) { try await handle.response } }
        shore.isOnline = true
        try await kernel.queue.replay()

        #expect(shore.paths == ["/large", "/small"])
        await kernel.shutDown()
    }

    @Test func `a journal request whose body comes slowly is before those that were queued meanwhile`() async throws {
        let shore = try Shore()
        shore.isOnline = true
        let kernel = try shore.kernel()
        let (stream, input) = AsyncStream<Bytes>.makeStream()
        var slow = request("slow", .journal)
        slow.body = .stream(stream)

        let first = await Shore.begin([slow], in: kernel)[0]
        input.yield(Bytes([UInt8](repeating: 1, count: 200_000)))
        while try writing(shore) == 0 { await Task.yield() }
        let later = try await kernel.sendLater(request("later", .later))
        let early = try await kernel.queue.outcome(of: later, within: .milliseconds(1))
        input.finish()
        let status = try await first.response.status
        let outcome = try await kernel.queue.outcome(of: later)

        #expect(early.state == .waiting && status == 200 && outcome.hasSucceeded)
        #expect(shore.paths == ["/slow", "/later"])
        await kernel.shutDown()
    }

    @Test(arguments: [QueueMode.journal, .later])
    func `a request whose body brings nothing for a while fails, and its category goes on`(mode: QueueMode) async throws
    {
        let shore = try Shore(isManual: true)
        shore.isOnline = true
        let kernel = try shore.kernel()
        let (stream, input) = AsyncStream<Bytes>.makeStream()
        var stalled = request("stalled", mode)
        stalled.body = .stream(stream)
        let first = await Shore.begin([stalled], in: kernel)[0]
        input.yield(Bytes([UInt8](repeating: 1, count: 200_000)))
        while try writing(shore) == 0 { await Task.yield() }
        let second = await Shore.begin([request("next", .onFailure)], in: kernel)[0]

        shore.clock?.advance(by: .seconds(29))
        input.yield(Bytes([1]))
        try await settled(kernel)
        shore.clock?.advance(by: .seconds(29))
        try await settled(kernel)
        let before = try writing(shore)
        shore.clock?.advance(by: .seconds(32))
        let error = await #expect(throws: PlugboardError.self) { try await first.response }
        // It has waited for longer than it can, and was queued.
        let queued = await #expect(throws: PlugboardError.self) { try await second.response }
        let outcome = try await kernel.queue.outcome(of: try #require(queued?.queueTicket))

        #expect(before == 1 && error?.code == .bodyRead && outcome.hasSucceeded)
        #expect(try writing(shore) == 0)
        await kernel.shutDown()
    }

    @Test func `a journal request that the file does not take leaves nothing that holds its category`() async throws {
        let shore = try Shore()
        shore.isOnline = true
        let kernel = try shore.kernel()
        _ = try await kernel.queue.statistics()
        try change(shore.folder.file("queue.sqlite")) { (connection) throws(SQLiteFailure) in
            try connection.script(
                """
                CREATE TRIGGER refuse BEFORE INSERT ON request WHEN NEW.state = 3 BEGIN
                    SELECT RAISE(ABORT, 'no room');
                END
                """)
        }
        var large = request("large", .journal)
        large.body = .bytes([UInt8](repeating: 1, count: 300_000))

        let status = try await kernel.send(large).status
        let later = try await kernel.queue.outcome(of: kernel.sendLater(request("later", .later)))
        // Not as a store of its own: the trigger is not of the schema.
        let other = SQLiteStore(.memory, schema: QueueSchema.schema) { _ in }
        try other.performAndWait { (connection) throws(SQLiteFailure) in
            try connection.run("ATTACH ? AS queue", .text(shore.folder.file("queue.sqlite")))
            try connection.script("DROP TRIGGER queue.refuse")
        }
        other.close(within: .seconds(10))

        #expect(try status == 200 && later.hasSucceeded && writing(shore) == 0)
        #expect(shore.paths == ["/large", "/later"])
        await kernel.shutDown()
    }

    @Test func `a change of one category that is seen at another wakes those that wait`() async throws {
        let (shore, holder) = (try Shore(), Holder("0"))
        let writer = try shore.kernel(settings: ["automatic": false])
        _ = try await writer.sendLater(Shore.post("0", category: "c"))
        shore.isOnline = true
        // Another process for the file, as it has a connection of its own.
        let other = try shore.kernel(beside: [holder.plugin])
        try await holder.came.opened(for: 1)
        let kernel = try shore.kernel()
        let waiting = kernel.begin(request("1", .onFailure))
        try await settled(kernel)

        holder.release("0")
        while try await writer.queue.statistics().done == 0 { await Task.yield() }
        _ = try await kernel.send(Shore.post("2", category: "d"))
        let response = try await waiting.response

        #expect(response.status == 200)
        let paths = shore.paths.filter { $0 != "/x" }
        #expect(paths.first == "/0" && Set(paths) == ["/0", "/1", "/2"])
        for kernel in [writer, other, kernel] { await kernel.shutDown() }
    }
}
