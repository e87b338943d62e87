import PlugboardKit
import PlugboardSQLite
import TestSupport
import Testing

@testable import PlugboardCache

/// A full disk.
@Suite struct FullDiskTests {
    /// Limits the size of the database, without the files of large bodies; nil removes the limit.
    private func limit(_ store: SQLiteCacheStore, pages: Int?) async throws {
        let result = await withCheckedContinuation { continuation in
            store.perform({ (_, connection) throws(SQLiteFailure) in
                try connection.script("PRAGMA max_page_count = \(pages ?? 1_000_000)")
            }) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    @Test func `a full disk is logged once, stored entries are found, and nothing is stored for a while`() async throws
    {
        let folder = try TemporaryFolder()
        let notices = Record()
        let store = SQLiteCacheStore.make(folder, notices: notices)
        defer { store.close(within: .seconds(60)) }
        await store.keep(.sample("a"), [1])
        try await limit(store, pages: 40)

        let writer = try #require(store.write(length: nil))
        let other = try #require(store.write(length: 200_000))
        _ = await writer.appendAll(bytes(250_000, seed: 1), pieceSize: 50_000)
        #expect(await writer.committed(.sample("b")) == nil)
        _ = await other.appendAll(bytes(200_000, seed: 1), pieceSize: 50_000)
        #expect(await other.committed(.sample("c")) == nil)

        #expect(notices.lines.count == 1)
        #expect(store.write(length: 1) == nil)
        #expect(await store.found("a").count == 1)
        #expect(await store.found("b").isEmpty)
        #expect(await store.found("c").isEmpty)
    }

    @Test func `with a full disk entries are stored in memory, and those of the file stay`() async throws {
        let folder = try TemporaryFolder()
        let store = TieredStore.make(folder)
        defer { store.close(within: .seconds(60)) }
        let old = try #require(await store.keep(.sample("a", note: "1"), [1]))
        try await limit(try #require(store.disk as? SQLiteCacheStore), pages: 40)
        #expect(await store.keep(.sample("a", note: "2"), bytes(200_000, seed: 1), replacing: [old]) != nil)
        #expect(await store.keep(.sample("b"), [7]) != nil)

        let found = await store.found("a")
        #expect(found.map(\.response.note) == ["2"])
        #expect(try await store.read(found[0]) == bytes(200_000, seed: 1))
        #expect(await store.found("b").count == 1)
        #expect(store.write(length: 20 << 20) == nil)

        #expect(await store.purged(.all) == 2)
        #expect(await store.found("b").isEmpty)
    }

    @Test func `changes that cannot be written apply to look-ups, and are written later`() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteCacheStore(path: folder.file("cache.sqlite"), bytes: 64 << 20, pause: .zero) { _ in }
        for key in ["a", "b", "c", "d", "e"] { await store.keep(.sample(key), [1]) }
        let entry = try #require(await store.found("b").first)
        try await setWritable(store, false)

        store.invalidate(url: "https://example.com/a")
        store.update(entry, .sample("b", note: "new"))
        store.remove(await store.found("c"))
        store.purge(.pattern("*/d")) { _ in }
        for _ in 1...2 {
            #expect(await store.found("a").map(\.response.isInvalidated) == [true])
            #expect(await store.found("b").map(\.response.note) == ["new"])
            #expect(await store.found("c").isEmpty)
            #expect(await store.found("d").isEmpty)
            #expect(await store.found("e").map(\.response.isInvalidated) == [false])
        }
        try await setWritable(store, true)
        _ = await store.found("a")
        store.close(within: .seconds(60))

        let again = SQLiteCacheStore.make(folder)
        defer { again.close(within: .seconds(60)) }
        #expect(await again.found("a").map(\.response.isInvalidated) == [true])
        #expect(await again.found("b").map(\.response.note) == ["new"])
        #expect(await again.found("c").isEmpty)
        #expect(await again.found("d").isEmpty)
    }

    private func setWritable(_ store: SQLiteCacheStore, _ isWritable: Bool) async throws {
        let result = await withCheckedContinuation { continuation in
            store.store.perform({ (connection) throws(SQLiteFailure) in
                try connection.script("PRAGMA query_only = \(isWritable ? "OFF" : "ON")")
            }) { continuation.resume(returning: $0) }
        }
        try result.get()
    }
}
