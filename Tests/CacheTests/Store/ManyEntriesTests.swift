import PlugboardSQLite
import TestSupport
import Testing

@testable import PlugboardCache

/// Operations whose time must not depend on the number of entries.
@Suite struct ManyEntriesTests {
    @Test(arguments: [
        (
            "SELECT id, sum, head, bodySum, body FROM entry WHERE key = ? AND owner IS NULL ORDER BY id DESC",
            "entry_key"
        ),
        ("SELECT max(used) FROM entry WHERE owner IS NULL", "entry_used"),
        ("SELECT id, length FROM entry WHERE owner IS NULL ORDER BY used LIMIT 256", "entry_used"),
        ("SELECT count(*), sum(length) FROM entry WHERE owner IS NULL", "COVERING INDEX"),
        ("SELECT key FROM entry INDEXED BY entry_key WHERE owner IS NULL", "COVERING INDEX"),
        ("SELECT DISTINCT owner FROM entry WHERE owner IS NOT NULL", "entry_owner"),
        ("DELETE FROM entry WHERE owner = ?", "entry_owner"),
        ("SELECT key FROM entry WHERE owner IS NULL AND id > ?", "INTEGER PRIMARY KEY"),
        ("SELECT id, sum, bytes FROM piece WHERE id >= ? AND id < ? ORDER BY id", "INTEGER PRIMARY KEY"),
        ("SELECT substr(sums, ?, ?) FROM file WHERE id = ?", "INTEGER PRIMARY KEY"),
        ("DELETE FROM gone WHERE id = ?", "INTEGER PRIMARY KEY"),
        ("DELETE FROM piece WHERE id >= 1 << 20 AND id < 2 << 20", "INTEGER PRIMARY KEY"),
    ])
    func `each statement uses an index, and sorts nothing`(_ sql: String, _ index: String) throws {
        let plan = try Self.plan(of: sql)

        #expect(plan.contains(index), "\(plan)")
        #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
    }

    @Test func `the entries of a URL are found by indices, whether the URL is their key or not`() throws {
        let plan = try Self.plan(of: CacheFile.ofURL)

        #expect(plan.contains("INDEX entry_key (key=?"), "\(plan)")
        #expect(plan.contains("INDEX entry_url (url=?"), "\(plan)")
        #expect(!plan.contains("SCAN"), "\(plan)")
    }

    private static func plan(of sql: String) throws -> String {
        let store = SQLiteStore(.memory, schema: CacheSchema.schema) { _ in }
        defer { store.close(within: .seconds(60)) }
        return try store.performAndWait { (connection) throws(SQLiteFailure) in
            let values: [SQLiteStore.Value] = Array(repeating: 1, count: sql.count { $0 == "?" })
            var plan: [String] = []
            try connection.each("EXPLAIN QUERY PLAN \(sql)", values) { row in
                plan.append(row.text(3))
                return true
            }
            return plan.joined(separator: "; ")
        }
    }

    @Test func `among twenty thousand entries the right ones are found, and the oldest are removed`() async throws {
        let folder = try TemporaryFolder()
        let count = 20_000
        let store = SQLiteCacheStore.make(folder, bytes: 16 << 20)
        defer { store.close(within: .seconds(60)) }
        for number in 0..<count {
            guard let writer = store.write(length: 500) else { return #expect(Bool(false), "nothing is written") }
            #expect(bytes(500, seed: UInt64(number)).withUnsafeBytes { writer.append($0) })
            if number == count - 1 {
                #expect(await writer.committed(.sample("\(number)")) != nil)
            } else {
                writer.commit(StoredHead(.sample("\(number)")), replacing: []) { _ in }
            }
        }

        let statistics = await store.statistics
        #expect(statistics.entries + statistics.evicted == count)
        #expect(statistics.entries > 4000 && statistics.evicted > 1000)
        for number in stride(from: 0, to: count, by: 97) {
            let found = await store.found("\(number)")
            #expect(found.count == (number < statistics.evicted ? 0 : 1))
            if let entry = found.first { #expect(try await store.read(entry) == bytes(500, seed: UInt64(number))) }
        }
    }
}
