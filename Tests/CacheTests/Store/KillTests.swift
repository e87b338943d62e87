import Foundation
import PlugboardKit
import PlugboardSQLite
import TestSupport
import Testing

@testable import PlugboardCache

/// Writers that are killed at random moments.
@Suite struct KillTests {
    /// Lengths that are written in one step, in several steps, and in many steps.
    static let lengths = [0, 100, 70_000, 400_000, 1_500_000]
    static let keys = 12

    @Test(.timeLimit(.minutes(5)))
    func `after kill -9 every visible entry is whole, and no other rows are left`() async throws {
        let folder = try TemporaryFolder()
        let watcher = SQLiteCacheStore.make(folder, staleness: .zero)
        defer { watcher.close(within: .seconds(60)) }
        var seen = 0

        for round in 0..<12 {
            let outcome = try await WriterProcess.run(
                "the writer of the kill test",
                [
                    "PLUGBOARD_TEST_FOLDER": folder.path, "PLUGBOARD_TEST_ROUND": "\(round)",
                    "PLUGBOARD_TEST_DELAY": "\(20_000 + 17_011 * round)",
                ])
            #expect(outcome.status == 128 + 9, "\(outcome.stdout) \(outcome.stderr)")
            // One store that was open before the kill, and one opened afterwards.
            seen += try await KillTests.verify(watcher)
            let notices = Record()
            let later = SQLiteCacheStore.make(folder, notices: notices)
            _ = try await KillTests.verify(later)
            later.close(within: .seconds(60))
            #expect(notices.lines == [])
            #expect(try await KillTests.leftovers(folder) == 0)
        }

        #expect(seen > 0)
    }

    /// Reads all that can be found, and compares it with what its key and its head say it must be. Returns how many
    /// there were.
    private static func verify(_ store: SQLiteCacheStore) async throws -> Int {
        var count = 0
        for key in 0..<keys {
            for entry in await store.found("\(key)") {
                let parts = entry.response.note.split(separator: " ")
                let (seed, length) = (try #require(UInt64(parts[0])), try #require(Int(parts[1])))
                #expect(entry.length == length)
                let body = try await store.read(entry)
                #expect(body == bytes(length, seed: seed))
                count += 1
            }
        }
        return count
    }

    /// The number of pieces and files without an entry, of entries without their file, and of invisible entries.
    private static func leftovers(_ folder: TemporaryFolder) async throws -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.file("cache.sqlite-bodies"))) ?? []
        let store = SQLiteStore(.file(folder.file("cache.sqlite")), schema: CacheSchema.schema) { _ in }
        defer { store.close(within: .seconds(60)) }
        return try await store.performing { (connection) throws(SQLiteFailure) in
            let sql = """
                SELECT (SELECT count(*) FROM entry WHERE owner IS NOT NULL)
                    + (SELECT count(*) FROM piece WHERE id >> 20 NOT IN (SELECT id FROM entry))
                """
            let rows = try connection.rows("SELECT id FROM file") { "\($0.integer(0))" }
            let removed = try connection.rows("SELECT id FROM gone") { $0.integer(0) }
            let others = Set(names).symmetricDifference(rows)
            return (try connection.first(sql) { Int($0.integer(0)) } ?? -1) + others.count + removed.count
        }
    }

    @Test(.enabled(if: WriterProcess.variable("PLUGBOARD_TEST_DELAY") != nil))
    func `the writer of the kill test`() async throws {
        let path = try #require(WriterProcess.variable("PLUGBOARD_TEST_FOLDER")) + "/cache.sqlite"
        let round = try #require(WriterProcess.variable("PLUGBOARD_TEST_ROUND").flatMap { UInt64($0) })
        let delay = try #require(WriterProcess.variable("PLUGBOARD_TEST_DELAY").flatMap { UInt32($0) })
        // Small, so that the kill also hits evictions.
        let store = SQLiteCacheStore(path: path, bytes: 8 << 20) { _ in }
        _ = await store.found("0")
        WriterProcess.killSelf(afterMicroseconds: delay)

        var generator = SeededRandom(seed: round)
        while true {
            let seed = UInt64.random(in: 0...1_000_000, using: &generator)
            let length = KillTests.lengths.randomElement(using: &generator) ?? 0
            let key = "\(Int.random(in: 0..<KillTests.keys, using: &generator))"
            let old = await store.found(key)
            await store.keep(
                .sample(key, note: "\(seed) \(length)"), bytes(length, seed: seed), replacing: old, pieceSize: 40_000)
        }
    }
}
