import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// What is removed for a new request, what it replaces, and when requests are too old.
struct QueueRoomTests {
    private let store = SQLiteStore(.memory, schema: QueueSchema.schema) { _ in }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable (SQLiteStore.Connection) throws(SQLiteFailure) -> Value
    ) throws -> Value { try store.performAndWait(work) }

    private func entry(
        _ id: String, _ method: String = "POST", bytes: Int = 0, key: String? = nil, rule: QueueCollapse = .replace,
        isTouched: Bool = false
    ) -> NewEntry {
        var entry = NewEntry(id: id, method: method, url: "http://a.test/", head: "{}")
        if bytes > 0 { (entry.length, entry.rest) = (bytes, [UInt8](repeating: 1, count: bytes)) }
        if let key { entry.collapse = (key, rule) }
        entry.isTouched = isTouched
        return entry
    }

    private func add(_ entries: [NewEntry], to file: QueueFile, now: Int64 = 1, time: Int64 = 1) throws -> [Placement] {
        try perform { (connection) throws(SQLiteFailure) in
            try file.add(entries, now: now, time: time, connection).placements
        }
    }

    private func states() throws -> [String] {
        try perform { (connection) throws(SQLiteFailure) in
            try connection.rows("SELECT id, state FROM request ORDER BY sequence") { row in
                "\(row.text(0)) \((EntryState(rawValue: row.integer(1)) ?? .dead).name)"
            }
        }
    }

    private func file(_ limits: QueueLimits) -> QueueFile { QueueFile(owner: "p", limits: limits) { _ in false } }

    /// Takes all requests, and ends their sending so.
    private func settle(_ file: QueueFile, _ settlement: Settlement) throws {
        try perform { (connection) throws(SQLiteFailure) in
            for entry in try file.claim(100, now: 1, time: 1, connection) {
                try file.settle(entry.sequence, settlement, now: 1, connection)
            }
        }
    }

    private static let success = Settlement.done(DeliveredResponse(status: 200, fields: "[]", body: []))

    @Test func `a request for which no room can be made removes nothing`() throws {
        let file = file(.init(bytes: 1000, dropsOldest: true))
        _ = try add((0..<5).map { entry("done\($0)") }, to: file)
        try settle(file, QueueRoomTests.success)
        _ = try add([entry("dead", bytes: 900)], to: file)
        try settle(file, .dead(PlugboardError(.queueRejected, "why"), nil))
        _ = try add((0..<3).map { entry("waiting\($0)", bytes: 5) }, to: file)
        let before = try states()

        let placements = try add([entry("large", bytes: 1500), entry("new", bytes: 500)], to: file)

        #expect(placements == [.full, .full])
        #expect(before.count == 9)
        #expect(try states() == before)
    }

    @Test func `as many outcomes as needed for the bytes are removed, the oldest first`() throws {
        let file = file(.init(bytes: 120))
        _ = try add((0..<4).map { entry("\($0)") }, to: file)
        try settle(file, .done(DeliveredResponse(status: 200, fields: "[]", body: [UInt8](repeating: 1, count: 20))))

        let placements = try add([entry("a", bytes: 30), entry("b", bytes: 30)], to: file)

        #expect(placements == [.queued, .queued])
        #expect(try states() == ["2 done", "3 done", "a waiting", "b waiting"])
    }

    @Test func `there are at most as many outcomes as requests, and the oldest are removed first`() throws {
        let file = file(.init(requests: 3))
        for round in 0..<3 {
            _ = try add((0..<2).map { entry("\(round)\($0)") }, to: file)
            try settle(file, QueueRoomTests.success)
        }

        let placements = try add([entry("a"), entry("b"), entry("c"), entry("d")], to: file)

        #expect(placements == [.queued, .queued, .queued, .full])
        #expect(try states() == ["11 done", "20 done", "21 done", "a waiting", "b waiting", "c waiting"])
    }

    @Test func `the oldest request that is dropped for a new one leaves an outcome without its body`() throws {
        let file = file(.init(requests: 2, bytes: 1000, dropsOldest: true))
        var first = entry("first", bytes: 900)
        (first.category, first.tag, first.context) = ("c", "t", "mine")
        _ = try add([first, entry("second")], to: file)

        let new = entry("third", bytes: 800)
        let added = try perform { (connection) throws(SQLiteFailure) in
            try file.add([new], now: 1, time: 1, connection)
        }

        let outcome = try perform { (connection) throws(SQLiteFailure) in
            try file.list(Selection(id: "first"), limit: 1, isWhole: true, connection).first
        }
        #expect(added.placements == [.queued])
        #expect(added.dropped == [DroppedEntry(id: "first", category: "c", tag: "t")])
        #expect(try states() == ["first done", "second waiting", "third waiting"])
        #expect(outcome?["code"] == "queue.full" && outcome?["context"] == "mine" && outcome?["bytes"] == nil)
    }

    @Test func `outcomes and bodies that are being written count for the limit of bytes`() throws {
        let file = file(.init(bytes: 1000))
        _ = try add([entry("a")], to: file)
        let large = DeliveredResponse(status: 200, fields: "[]", body: [UInt8](repeating: 1, count: 400))
        try settle(file, .done(large))
        try perform { (connection) throws(SQLiteFailure) in
            let begun = try file.begin("b", now: 1, time: 1, connection)
            try file.append([UInt8](repeating: 1, count: 500), 0, to: begun, connection)
        }

        let bytes = try perform { (connection) throws(SQLiteFailure) in
            try connection.first("SELECT bytes FROM total") { $0.integer(0) } ?? 0
        }
        let placement = try add([entry("c", bytes: 600)], to: file)

        #expect((900..<1000).contains(bytes))
        #expect(placement == [.full])
    }

    @Test func `a request waits on if there is no room for the one that would replace it`() throws {
        let file = file(.init(bytes: 1000))
        _ = try add([entry("other", bytes: 600), entry("first", bytes: 100, key: "draft")], to: file)

        let refused = try add([entry("second", bytes: 500, key: "draft")], to: file)
        let fitting = try add([entry("third", bytes: 300, key: "draft")], to: file)

        #expect(refused == [.full] && fitting == [.queued])
        #expect(try states() == ["other waiting", "first done", "third waiting"])
    }

    @Test func `the last of like, unlike and like is sent if the first may have arrived`() throws {
        let file = file(.init())
        let placements = try add(
            [
                entry("like", "PUT", key: "k", rule: .cancel, isTouched: true),
                entry("unlike", "DELETE", key: "k", rule: .cancel),
                entry("again", "PUT", key: "k", rule: .cancel),
            ], to: file)

        #expect(placements == [.queued, .queued, .queued])
        #expect(try states() == ["like done", "unlike done", "again waiting"])
    }

    @Test(arguments: [true, false])
    func `opposites cancel each other out after a failure, unless the first may have arrived`(isTouched: Bool) throws {
        let file = file(.init())
        _ = try add([entry("like", "PUT", key: "k", rule: .cancel)], to: file)
        try settle(
            file,
            .waiting(PlugboardError(.transportConnect, "why"), until: 1, counts: .nothing, isTouched: isTouched))

        let placement = try add([entry("unlike", "DELETE", key: "k", rule: .cancel)], to: file)

        #expect(placement == [isTouched ? .queued : .cancelled])
    }

    @Test func `a request is too old at twice its age by the wall clock, however seldom a process runs`() throws {
        let day: Int64 = 86_400_000_000_000
        let file = file(.init(age: 30 * day, resultAge: 365 * day))
        _ = try add([entry("waiting")], to: file, now: 20_000 * day, time: 1)
        func expire(_ days: Int64) throws -> [String] {
            try perform { (connection) throws(SQLiteFailure) in
                try file.expire(now: (20_000 + days) * day, time: 1, isStart: true, connection)
            }
        }

        let soon = try expire(59)
        let late = try expire(61)
        try perform { (connection) throws(SQLiteFailure) in
            _ = try file.revive(Selection(id: "waiting"), now: 20_061 * day, connection)
        }
        let revived = try expire(62)

        #expect(soon.isEmpty && late == ["waiting"] && revived.isEmpty)
        #expect(try states() == ["waiting waiting"])
    }

    @Test func `a clock that jumps makes neither requests nor outcomes too old`() throws {
        let day: Int64 = 86_400_000_000_000
        let file = file(.init(age: 30 * day, resultAge: 30 * day))
        // A device without a battery for its clock starts in 1970.
        _ = try add([entry("outcome")], to: file, now: 1, time: 1)
        try settle(file, QueueRoomTests.success)
        _ = try add([entry("waiting")], to: file, now: 1, time: 1)
        func expire(_ now: Int64, _ time: Int64) throws -> [String] {
            try perform { (connection) throws(SQLiteFailure) in
                try file.expire(now: now, time: time, isStart: true, connection)
            }
        }

        var died: [[String]] = []
        // The time of the network comes; the clock is set back, and forward again.
        for (now, time) in [(20_000 * day, 30), (5 * day, 40), (20_000 * day + 50, 50)] as [(Int64, Int64)] {
            died.append(try expire(now, time))
        }
        let afterJumps = try states()
        // Then time passes.
        died.append(try expire(20_020 * day, 20 * day))

        #expect(afterJumps == ["outcome done", "waiting waiting"])
        #expect(died == [[], [], [], ["waiting"]])
        #expect(try states() == ["waiting dead"])
    }
}
