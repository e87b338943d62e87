import Foundation
import PlugboardSQLite
import TestSupport
import Testing

@testable import PlugboardCache

/// A file that another process uses.
struct SharedFileTests {
    @Test func `while another process writes, entries are found at once, and the end does not wait`() async throws {
        let folder = try TemporaryFolder()
        let before = SQLiteCacheStore.make(folder)
        #expect(await before.keep(.sample("a"), bytes(100, seed: 1)) != nil)
        before.close(within: .seconds(60))
        let writer = SQLiteStore(.file(folder.file("cache.sqlite")), schema: CacheSchema.schema) { _ in }
        let (hasBegun, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
        writer.perform { (connection) throws(SQLiteFailure) in
            try connection.transaction {
                hasBegun.admit()
                mayEnd.wait()
            }
        }
        try await hasBegun.opened()

        let store = SQLiteCacheStore.make(folder)
        let begin = ContinuousClock.now
        let found = await store.found("a")
        let toFind = begin.duration(to: .now)
        if let entry = found.first { store.use(entry.id) }
        store.close(within: .seconds(60))
        let toEnd = begin.duration(to: .now) - toFind
        mayEnd.signal()
        writer.close(within: .seconds(60))

        #expect(found.count == 1)
        #expect(toFind < .seconds(4) && toEnd < .seconds(4), "\(toFind), \(toEnd)")
    }
}
