import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// Which requests are taken from the file, where a new one is put, and what that costs with many.
struct QueueClaimTests {
    private let store = SQLiteStore(.memory, schema: QueueSchema.schema) { _ in }
    private let file = QueueFile(owner: "p", limits: .init()) { _ in false }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable (SQLiteStore.Connection) throws(SQLiteFailure) -> Value
    ) throws -> Value { try store.performAndWait(work) }

    private func entry(_ id: String, _ category: String? = "c") -> NewEntry {
        var entry = NewEntry(id: id, method: "POST", url: "http://a.test/", head: "{}")
        entry.category = category
        return entry
    }

    private func add(_ entries: NewEntry...) throws -> [Placement] {
        try perform { [file] (connection) throws(SQLiteFailure) in
            try file.add(entries, now: 1, time: 1, connection).placements
        }
    }

    private func rows() throws -> [String] {
        try perform { (connection) throws(SQLiteFailure) in
            try connection.rows("SELECT id, state, touched FROM request ORDER BY sequence") { row in
                "\(row.text(0)) \((EntryState(rawValue: row.integer(1)) ?? .dead)) \(row.integer(2))"
            }
        }
    }

    private func plan(
        _ make: @escaping @Sendable () -> (query: String, values: [SQLiteStore.Value])
    ) throws -> String {
        try perform { (connection) throws(SQLiteFailure) in
            var plan = ""
            let (query, values) = make()
            try connection.each("EXPLAIN QUERY PLAN \(query)", values) { row in
                plan += row.text(3) + "\n"
                return true
            }
            return plan
        }
    }

    @Test func `a request in the journal is not sent beside others of its line`() throws {
        var (first, second, other) = (entry("first"), entry("second"), entry("other", "d"))
        (first.isJournal, second.isJournal, other.isJournal) = (true, true, true)

        let placements = try add(first, second, other)

        #expect(placements == [.queued, .behind, .queued])
        #expect(try rows() == ["first sending 1", "second behind 0", "other sending 1"])
    }

    @Test func `a request in the journal is before those that were queued while its body was written, and holds them`()
        throws
    {
        var journal = entry("journal")
        journal.isJournal = true
        journal.begun = try perform { [file] (connection) throws(SQLiteFailure) in
            let sequence = try file.begin("journal", holding: "c:c", now: 1, time: 1, connection)
            try file.append([1], 0, to: sequence, connection)
            return (sequence, 1)
        }
        (journal.length, journal.rest) = (2, [2])
        _ = try add(entry("later"), entry("other", "d"))
        let held = try rows()

        let placements = try add(journal)

        #expect(held == ["journal p writing 0", "later behind 0", "other ready 0"], "\(held)")
        #expect(placements == [.queued])
        #expect(try rows().sorted() == ["journal sending 1", "later behind 0", "other ready 0"])
    }

    @Test func `one that failed while others of its line were queued is put before them, and not before others`() throws
    {
        var first = entry("first")
        first.isFirst = true
        _ = try add(entry("before", nil), entry("second"), entry("third"), entry("after", nil))

        let placements = try add(first)

        #expect(placements == [.queued])
        #expect(
            try rows() == ["before ready 0", "first ready 0", "second behind 0", "third behind 0", "after ready 0"])
    }

    @Test func `nothing of a line is taken while an exchange of it is sent, and what was taken is put back as it was`()
        throws
    {
        _ = try add(entry("held"), entry("a", "d"), entry("b", nil))

        let taken = try perform { [file] (connection) throws(SQLiteFailure) in
            try file.claim(9, isHeld: { $0 == "c:c" }, now: 2, time: 2, connection)
        }
        let sequences = taken.map(\.sequence)
        try perform { [file] (connection) throws(SQLiteFailure) in try file.putBack(sequences, connection) }

        #expect(taken.map(\.id) == ["a", "b"])
        #expect(try rows() == ["held ready 0", "a ready 0", "b ready 0"])
    }

    @Test func `requests that are not taken are read from an index alone`() throws {
        let paused: Set = ["http://a.test:80", "http://b.test:80"]

        let due = try plan { [file] in file.candidates(.due, except: paused, now: 1) }
        let line = try plan { [file] in file.candidates(.line("c:c"), except: paused, now: 1) }

        #expect(due == "SEARCH request USING COVERING INDEX request_by_state (state=?)\n")
        #expect(line.hasPrefix("SEARCH request USING INDEX request_by_line (line=? AND state=?)"), "\(line)")
    }

    @Test func `old requests and outcomes are found by their age alone`() throws {
        let old = """
            SELECT sequence, id, line FROM request WHERE +state IN (1, 2) AND sequence IN (
                SELECT sequence FROM request WHERE ended IS NULL AND born < (SELECT clock FROM total) - ?
                UNION SELECT sequence FROM request WHERE ended IS NULL AND created > ? AND created < ?)
            """

        let waiting = try plan { (old, [.integer(1), .integer(1), .integer(2)]) }
        let outcomes = try plan {
            ("DELETE FROM request WHERE +state = 4 AND ended < (SELECT clock FROM total) - ?", [.integer(1)])
        }

        #expect(waiting.contains("request_by_birth (born<?)"), "\(waiting)")
        #expect(waiting.contains("request_by_creation (created>? AND created<?)"), "\(waiting)")
        #expect(!waiting.contains("SCAN request"), "\(waiting)")
        #expect(outcomes.contains("request_by_end (ended<?)"), "\(outcomes)")
    }

    @Test func `what a process holds is what it renews`() throws {
        _ = try add(entry("a", nil), entry("b", nil))

        let (taken, held) = try perform { [file] (connection) throws(SQLiteFailure) in
            let taken = try file.claim(9, now: 2, time: 2, connection).map(\.sequence)
            try connection.run("UPDATE request SET owner = 'other' WHERE id = 'a'")
            return (taken, try file.renew(time: 3, connection))
        }

        #expect(taken.count == 2 && held == [taken[1]])
    }
}
