import Foundation
import Plugboard
import PlugboardJSON
import PlugboardMessages
import PlugboardSQLite
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// Files that are damaged, foreign, newer or full, and bodies that are gone.
@Suite(.timeLimit(.minutes(2)))
struct QueueFileTests {
    @Test func `only its owner can read the file`() async throws {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["path": .string(shore.folder.file("sub/q.sqlite"))])
        _ = try await Shore.queue(Shore.post("a"), in: kernel)

        for name in try FileManager.default.contentsOfDirectory(atPath: shore.folder.file("sub")) {
            let attributes = try FileManager.default.attributesOfItem(atPath: shore.folder.file("sub/\(name)"))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        await kernel.shutDown()
    }

    @Test func `a file of another program is refused at the start, and stays`() throws {
        let shore = try Shore()
        let text = "not a database, but somebody's notes"
        let path = try shore.folder.write("queue.sqlite", text)
        chmod(path, 0o600)

        let error = #expect(throws: PlugboardError.self) { try shore.kernel() }

        #expect(error?.reason.contains("is not a database of this program") == true)
        #expect(try shore.folder.read("queue.sqlite") == Array(text.utf8))
        #expect(try shore.folder.entries() == ["queue.sqlite"])
    }

    @Test func `a file of a newer version is refused at the start, and stays`() async throws {
        let shore = try Shore()
        let first = try shore.kernel()
        _ = try await Shore.queue(Shore.post("a"), in: first)
        await first.shutDown()
        let newer = SQLiteStore(.file(shore.folder.file("queue.sqlite")), schema: QueueSchema.schema) { _ in }
        try newer.performAndWait { (connection) throws(SQLiteFailure) in
            try connection.script("PRAGMA user_version = 7")
        }
        newer.close(within: .seconds(10))

        let error = #expect(throws: PlugboardError.self) { try shore.kernel() }

        #expect(error?.reason.contains("newer version") == true)
        #expect(try shore.folder.entries().filter { $0.contains("damaged") } == [])
    }

    @Test func `a damaged file is renamed with a warning, and a new one is used`() async throws {
        let shore = try Shore()
        let first = try shore.kernel()
        _ = try await Shore.queue(Shore.post("a"), in: first)
        await first.shutDown()
        var bytes = try shore.folder.read("queue.sqlite")
        for index in bytes.indices.dropFirst(200) { bytes[index] ^= 0x55 }
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: shore.folder.file("queue.sqlite")))
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
        let warnings = Record()

        let second = try shore.kernel(log: KernelLog(level: .warning) { _, _, line in warnings.add(line) })
        let ticket = try await Shore.queue(Shore.post("b"), in: second)

        #expect(try await second.queue.list().map(\.id) == [ticket])
        #expect(try shore.folder.entries().contains("queue.sqlite.damaged-1"))
        #expect(warnings.lines.contains { $0.contains("was renamed to") })
        await second.shutDown()
    }

    @Test func `a request whose body is not complete in the file is dead, and does not hold others up`() async throws {
        let shore = try Shore()
        let first = try shore.kernel(settings: ["automatic": false])
        let server = try LoopbackServer.responding { _ in ServerResponse(status: 200) }
        var gone = Request(.post, server.url("/gone"), body: .text(String(repeating: "x", count: 400_000)))
        gone.queue.category = "c"
        var behind = Request(.post, server.url("/next"))
        behind.queue.category = "c"
        let ticket = try await first.sendLater(gone)
        let next = try await first.sendLater(behind)
        await first.shutDown()
        let store = SQLiteStore(.file(shore.folder.file("queue.sqlite")), schema: QueueSchema.schema) { _ in }
        try store.performAndWait { (connection) throws(SQLiteFailure) in
            try connection.run("DELETE FROM piece WHERE number = 0")
        }
        store.close(within: .seconds(10))
        let second = try Kernel(
            configuration: Configuration(plugins: [
                PluginEntry(
                    id: "queue", path: nil,
                    settings: ["path": .string(shore.folder.file("queue.sqlite")), "delay": "1ms", "delayLimit": "1ms"])
            ]), catalog: Catalog([queuePlugin()]), log: .silent)

        let outcome = try await second.queue.outcome(of: ticket)
        let other = try await second.queue.outcome(of: next)

        #expect(outcome.state == .dead)
        #expect(outcome.code == .queueBody, "\(outcome)")
        #expect(other.hasSucceeded)
        await second.shutDown()
    }

    @Test func `what a process leaves half written is removed by the next`() throws {
        let folder = try TemporaryFolder()
        let store = SQLiteStore(.file(folder.file("q.sqlite")), schema: QueueSchema.schema) { _ in }
        let gone = QueueFile(owner: "gone", limits: .init()) { _ in true }
        let next = QueueFile(owner: "next", limits: .init()) { $0 == "gone" }

        let (before, after) = try store.performAndWait { (connection) throws(SQLiteFailure) in
            let sequence = try gone.begin("half", now: 1, time: 1, connection)
            try gone.append([1, 2, 3], 0, to: sequence, connection)
            let count = "SELECT count(*) + (SELECT count(*) FROM piece) FROM request"
            let before = try connection.first(count) { $0.integer(0) }
            try next.takeBack(time: 2, connection)
            while try next.survey(connection)?.hasRemains == true { try next.sweep(connection) }
            return (before, try connection.first(count) { $0.integer(0) })
        }

        #expect(before == 2 && after == 0)
    }

    @Test func `a read that fails loses no request, and leaves the file in its place`() async throws {
        let folder = try TemporaryFolder()

        let outcome = try await ReadFaults.run("the queue whose reads fail", in: folder)

        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
        #expect("\(outcome.stdout)\(outcome.stderr)".contains("with 1 test"), "\(outcome.stdout)")
    }

    @Test(.enabled(if: ReadFaults.folder != nil))
    func `the queue whose reads fail`() async throws {
        let path = try #require(ReadFaults.folder)
        let settings: JSONObject = ["path": .string("\(path)/queue.sqlite"), "automatic": false]
        let shore = try Shore()
        let first = try shore.kernel(settings: settings)
        let bodies = [nil, String(repeating: "x", count: 1000), String(repeating: "y", count: 200_000)]
        var tickets: Set<String> = []
        for body in bodies { tickets.insert(try await Shore.queue(Shore.post("a", body: body), in: first)) }
        await first.shutDown()

        // A kernel takes its time, so the other errors are left to the tests of the store.
        try await ReadFaults.atAllPositions(errors: [EIO]) {
            let kernel = try shore.kernel(settings: settings)
            _ = try? await kernel.queue.list()
            if let ticket = try? await Shore.queue(Shore.post("b"), in: kernel) { tickets.insert(ticket) }
            await kernel.shutDown()
        } check: {
            let ids = try change("\(path)/queue.sqlite") { (connection) throws(SQLiteFailure) in
                try connection.rows("SELECT id FROM request") { $0.text(0) }
            }
            #expect(Set(ids).isSuperset(of: tickets))
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            #expect(!names.contains { $0.contains("damaged") })
        }
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "only who may mount file systems has one that is read-only"))
    func `on a read-only file system reads go their way, with one warning`() async throws {
        let folder = try TemporaryFolder()
        let shore = try Shore()
        let first = try shore.kernel(settings: ["path": .string(folder.file("queue.sqlite"))])
        _ = try await Shore.queue(Shore.post("a", category: "c"), in: first)
        await first.shutDown()

        let outcome = try await SmallDisk.runReadOnly("the queue on a read-only file system", at: folder)

        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
        #expect("\(outcome.stdout)\(outcome.stderr)".contains("with 1 test"), "\(outcome.stdout)")
    }

    @Test(.enabled(if: SmallDisk.folder != nil))
    func `the queue on a read-only file system`() async throws {
        let path = try #require(SmallDisk.folder)
        let server = try LoopbackServer.responding { ServerResponse(status: 200, body: $0.body) }
        let log = Record()
        for mode in ["onFailure", "journal"] {
            let configuration = Configuration(plugins: [
                PluginEntry(
                    id: "queue", path: nil,
                    settings: ["path": .string("\(path)/queue.sqlite"), "mode": .string(mode)])
            ])
            let kernel = try Kernel(
                configuration: configuration, catalog: Catalog([queuePlugin()]), network: .system,
                log: KernelLog(level: .warning) { _, _, text in log.add(text) })
            #expect(try await kernel.send(Request(.get, server.url("/"))).status == 200)
            // Requests of the category "c" wait in the file, and cannot be sent.
            for category in [nil, "c"] {
                let stream = Body.stream(
                    AsyncStream<Bytes> { stream in
                        stream.yield(Bytes("stream"))
                        stream.finish()
                    })
                for (body, text) in [(.text("text"), "text"), (stream, "stream")] as [(Body, String)] {
                    var request = Request(.post, server.url("/"), body: body)
                    request.queue.category = category
                    do {
                        let sent = try await kernel.send(request).body.collect(upTo: .mebibytes(1))
                        #expect(sent == Bytes(text), "\(mode) \(category ?? "-")")
                    } catch {
                        Issue.record("\(mode) \(category ?? "-") \(text): \(error)")
                    }
                }
            }
            var later = Request(.post, server.url("/"))
            later.queue.mode = .later
            let refused = await #expect(throws: PlugboardError.self) { try await kernel.send(later) }
            #expect(refused?.code == .queueFile)
            #expect(try await kernel.queue.list().count == 1)
            await kernel.shutDown()
        }

        #expect(log.lines.count == 2 && log.lines.allSatisfy { $0.contains("can be read only") }, "\(log.lines)")
    }

    @Test(.enabled(if: SmallDisk.isAvailable))
    func `on a full disk the failure stays, and nothing that was queued is lost`()
        async throws
    {
        let folder = try TemporaryFolder()
        let outcome = try await SmallDisk.run("FullDiskRun", mebibytes: 4, at: folder)

        #expect(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
    }
}

/// Runs on the small disk, in a process of its own.
@Suite(.enabled(if: SmallDisk.folder != nil), .timeLimit(.minutes(1)))
struct FullDiskRun {
    @Test func `the queue on a full disk`() async throws {
        let disk = try #require(SmallDisk.folder)
        let shore = try Shore()
        let settings: JSONObject = ["path": .string("\(disk)/queue.sqlite"), "automatic": false]
        let kernel = try shore.kernel(settings: settings)
        let kept = try await Shore.queue(Shore.post("kept"), in: kernel)
        try SmallDisk.fill("\(disk)/filling")

        var codes: Set<String> = []
        for number in 0..<40 {
            do { _ = try await kernel.send(Shore.post("\(number)", body: String(repeating: "x", count: 50_000))) } catch
            {
                codes.insert(error.code.name)
            }
        }
        let later = await #expect(throws: PlugboardError.self) {
            try await kernel.sendLater(Shore.post("later", body: String(repeating: "x", count: 2_000_000)))
        }

        #expect(codes.isSubset(of: ["queued", "transport.connect"]) && codes.contains("transport.connect"))
        #expect(later?.code == .queueFull || later?.code == .queueFile)
        #expect(try await kernel.queue.list(id: kept).map(\.id) == [kept])
        // Removing needs the reserve.
        #expect(try await kernel.queue.drop(id: kept) == 1)
        await kernel.shutDown()
    }
}
