import PlugboardKit
import PlugboardSQLite
import TestSupport
import Testing

@testable import PlugboardCache

/// Small entries that are written together.
@Suite struct GatheringTests {
    /// Begins to store a response of one byte without waiting.
    private func begin(_ store: any CacheStore, _ key: String, _ byte: UInt8, _ done: Record) throws {
        let writer = try #require(store.write(length: 1))
        #expect([byte].withUnsafeBytes { writer.append($0) })
        writer.commit(StoredHead(.sample(key)), replacing: []) { done.add("\(key) \($0 == nil ? "lost" : "stored")") }
    }

    @Test(arguments: FileStoreTests.kinds)
    func `entries added together are all stored, in order, each with its own body`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        let done = Record()

        for number in 0..<200 { try begin(store, "\(number)", UInt8(number), done) }
        _ = await store.statistics

        #expect(done.lines == (0..<200).map { "\($0) stored" })
        for number in 0..<200 {
            let entry = try #require(await store.found("\(number)").first)
            #expect(try await store.read(entry) == [UInt8(number)])
        }
    }

    @Test(arguments: FileStoreTests.kinds)
    func `a purge removes entries stored before it, and none after it`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        let done = Record()

        try begin(store, "before", 1, done)
        store.purge(.all) { _ in }
        try begin(store, "after", 2, done)

        #expect(await store.found("before").isEmpty)
        #expect(await store.found("after").count == 1)
    }

    @Test func `entries added to a closed store are lost together`() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteCacheStore.make(folder)
        _ = await store.statistics
        let done = Record()

        store.store.close(within: .seconds(60))
        for number in 0..<3 { try begin(store, "\(number)", 1, done) }

        #expect(done.lines == ["0 lost", "1 lost", "2 lost"])
    }

    // 0 is less than the id of the entry; a sequence may also have no row.
    @Test(arguments: [Int64.max, -1, CacheSchema.lastID, 0, nil])
    func `a damaged sequence does not prevent storing`(sequence: Int64?) async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteCacheStore.make(folder)
        await store.keep(.sample("a"), [1])
        try store.store.performAndWait { (connection) throws(SQLiteFailure) in
            guard let sequence else { return try connection.run("DELETE FROM sequence") }
            try connection.run("UPDATE sequence SET last = ?", .integer(sequence))
        }

        let small = await store.keep(.sample("b"), [2])
        let large = await store.keep(.sample("c"), bytes(1_000_000, seed: 3))
        let other = await store.keep(.sample("d"), [4])
        let found = await (store.found("a").count, store.found("b").count, store.found("c").count)
        store.close(within: .seconds(60))

        #expect(Set([small, large, other].compactMap { $0?.id }).count == 3)
        #expect(found == (1, 1, 1))
    }
}
