import PlugboardKit
import PlugboardSQLite
import TestSupport
import Testing

@testable import PlugboardCache

/// What stores know of a file's keys without asking the file.
@Suite struct KnownKeysTests {
    @Test func `an entry that another store was writing when this one looked is known when it is complete`()
        async throws
    {
        let folder = try TemporaryFolder()
        let one = SQLiteCacheStore.make(folder, staleness: .zero)
        let two = SQLiteCacheStore.make(folder, staleness: .zero)
        defer {
            one.close(within: .seconds(60))
            two.close(within: .seconds(60))
        }
        func isPossible() -> Bool { two.state.withLock { $0.filter.canHave(CacheKey(text: "a")) } }
        let writer = try #require(one.write(length: nil))
        #expect(await writer.appendAll(bytes(400_000, seed: 1), pieceSize: 50_000))
        _ = await one.statistics
        #expect(await two.found("a").isEmpty && !isPossible())

        #expect(await writer.committed(.sample("a")) != nil)
        _ = await two.found("another")

        #expect(isPossible())
    }

    @Test func `entries of a key that memory has evicted are found in the file`() async throws {
        let folder = try TemporaryFolder()
        let store = TieredStore(
            path: folder.file("cache.sqlite"), memory: 1 << 20, disk: 64 << 20, entries: 2, staleness: .seconds(3600)
        ) { _ in }
        defer { store.close(within: .seconds(60)) }
        let key = CacheKey(text: "a")
        _ = await store.statistics
        for note in ["1", "2"] { await store.keep(.sample("a", note: note), [1]) }
        #expect(store.entriesAtHand(key)?.count == 2)

        await store.keep(.sample("a", note: "3"), [1])

        #expect(store.entriesAtHand(key) == nil)
        #expect(await store.found("a").map(\.response.note) == ["3", "2", "1"])
        #expect(store.entriesAtHand(key) == nil)
    }

    @Test func `replaced entries of a key leave it known`() async throws {
        let folder = try TemporaryFolder()
        let store = TieredStore.make(folder)
        defer { store.close(within: .seconds(60)) }
        _ = await store.statistics
        let first = try #require(await store.keep(.sample("a", note: "1"), [1]))

        await store.keep(.sample("a", note: "2"), [1], replacing: [first])

        #expect(store.entriesAtHand(CacheKey(text: "a"))?.map(\.response.note) == ["2"])
    }

    @Test func `a damaged length does not stop evictions or statistics`() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteCacheStore.make(folder, bytes: 400_000)
        defer { store.close(within: .seconds(60)) }
        let raw = SQLiteStore(.file(folder.file("cache.sqlite")), schema: CacheSchema.schema) { _ in }
        defer { raw.close(within: .seconds(60)) }
        for key in 0..<3 { await store.keep(.sample("\(key)"), bytes(50_000, seed: 1)) }
        try await raw.performing { (connection) throws(SQLiteFailure) in
            try connection.script("UPDATE entry SET length = 9223372036854775807")
        }

        let statistics = await store.statistics
        for key in 3..<12 { await store.keep(.sample("\(key)"), bytes(50_000, seed: 1)) }

        #expect(statistics.entries == 3)
        #expect(await store.found("11").count == 1 && store.evictions > 0)
    }
}
