import Plugboard
import PlugboardSQLite
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// How long the lock of the file is held, and what happens while another process holds it.
@Suite(.timeLimit(.minutes(2)))
struct QueueFileLockTests {
    @Test func `no change to a large body takes the lock for longer than for some pieces`() throws {
        let folder = try TemporaryFolder()
        let store = SQLiteStore(.file(folder.file("q.sqlite")), schema: QueueSchema.schema) { _ in }
        let file = QueueFile(owner: "one", limits: .init()) { _ in false }
        let count = 100

        let (largest, left) = try store.performAndWait { (connection) throws(SQLiteFailure) in
            var largest = 0
            /// Each change is written to the log, which holds what the lock was held for.
            func change(_ work: () throws(SQLiteFailure) -> Void) throws(SQLiteFailure) {
                try connection.checkpoint()
                try work()
                largest = max(largest, (try? folder.read("q.sqlite-wal").count) ?? .max)
            }
            for id in ["done", "dropped"] {
                let begun = try file.begin(id, now: 1, time: 1, connection)
                for number in 0..<count {
                    let bytes = [UInt8](repeating: UInt8(number), count: BodySpool.pieceSize)
                    try change { () throws(SQLiteFailure) in try file.append(bytes, number, to: begun, connection) }
                }
                var entry = NewEntry(id: id, method: "POST", url: "http://a.test/", head: "{}")
                (entry.length, entry.begun, entry.rest) = (count * BodySpool.pieceSize, (begun, count), [])
                try change { () throws(SQLiteFailure) in
                    _ = try file.add([entry], now: 1, time: 1, connection)
                }
                let sequence = try file.sequence(of: id, connection) ?? 0
                let last = try file.piece(count - 1, of: sequence, connection)
                #expect(last?.count == BodySpool.pieceSize && last?.first == UInt8(count - 1))
                try change { () throws(SQLiteFailure) in
                    if id == "done" {
                        try file.finish(sequence, .done, nil, nil, 1, connection)
                    } else {
                        try connection.run("DELETE FROM request WHERE sequence = ?", .integer(sequence))
                    }
                }
                while try file.survey(connection)?.hasRemains == true {
                    try change { () throws(SQLiteFailure) in try file.sweep(connection) }
                }
            }
            return (largest, try connection.first("SELECT count(*) FROM piece") { $0.integer(0) })
        }

        // Eight pieces, each in a transaction of its own.
        #expect(largest < 10 * BodySpool.pieceSize, "\(largest)")
        #expect(left == 0)
    }

    @Test func `a request is kept although another process writes for longer than SQLite waits`() async throws {
        let shore = try Shore()
        let first = try shore.kernel()
        _ = try await Shore.queue(Shore.post("first"), in: first)
        await first.shutDown()
        let log = Record()
        let kernel = try shore.kernel(log: KernelLog(level: .warning) { _, _, text in log.add(text) })
        let held = try await HeldFile(shore.folder.file("queue.sqlite"))

        // Longer than the five seconds that work without an exchange is tried.
        let ticket = Task { try await Shore.queue(Shore.post("second"), in: kernel) }
        try await Task.sleep(for: .milliseconds(5500))
        held.release()

        #expect(try await !ticket.value.isEmpty)
        #expect(log.lines == [])
        await kernel.shutDown()
    }

    @Test func `a file that another process holds delays no request that is not kept, and no end`() async throws {
        let shore = try Shore()
        shore.isOnline = true
        let first = try shore.kernel()
        _ = try await first.send(Request(.get, "http://a.test/"))
        await first.shutDown()
        let held = try await HeldFile(shore.folder.file("queue.sqlite"))
        let log = Record()

        let start = ContinuousClock.now
        let kernel = try shore.kernel(log: KernelLog(level: .warning) { _, _, text in log.add(text) })
        let response = try await kernel.send(Request(.get, "http://a.test/"))
        await kernel.shutDown()

        #expect(response.status == 200)
        #expect(start.duration(to: .now) < .seconds(3))
        #expect(log.lines == [])
        held.release()
    }
}
