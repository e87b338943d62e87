import Foundation
import PlugboardKit
import PlugboardSQLite
import TestSupport
import Testing

@testable import PlugboardCache

/// The behaviour of stores with a file.
@Suite struct FileStoreTests {
    static let kinds: [StoreKind] = [.file, .tiered]

    @Test(arguments: kinds)
    func `stored entries are found after the store is opened again`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let body = bytes(500_000, seed: 1)
        let first = kind.make(folder)
        await first.keep(.sample("a", note: "1"), body)
        let entry = try #require(await first.keep(.sample("b", note: "1"), [1]))
        first.update(entry, .sample("b", note: "2"))
        first.close(within: .seconds(60))

        let second = kind.make(folder)
        defer { second.close(within: .seconds(60)) }

        let foundA = try #require(await second.found("a").first)
        #expect(try await second.read(foundA) == body)
        #expect(await second.found("b").map(\.response.note) == ["2"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("cache.sqlite"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: kinds)
    func `a missing key is known at hand, and a stored one is not`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let first = kind.make(folder)
        await first.keep(.sample("a"), [1])
        first.close(within: .seconds(60))

        let second = kind.make(folder)
        defer { second.close(within: .seconds(60)) }
        _ = await second.statistics

        #expect(second.entriesAtHand(CacheKey(text: "b"))?.isEmpty == true)
        #expect(second.entriesAtHand(CacheKey(text: "a")) == nil)
        await second.keep(.sample("b"), [1])
        #expect(second.entriesAtHand(CacheKey(text: "b"))?.isEmpty != true)
    }

    @Test(arguments: kinds)
    func `two stores of one file see each other's entries and removals`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let one = SQLiteCacheStore.make(folder, staleness: .zero)
        let two: any CacheStore =
            kind == .file
            ? SQLiteCacheStore.make(folder, staleness: .zero) : TieredStore.make(folder, staleness: .zero)
        defer {
            one.close(within: .seconds(60))
            two.close(within: .seconds(60))
        }

        #expect(await two.found("a").isEmpty)
        let entry = try #require(await one.keep(.sample("a", note: "1"), [1]))
        // With no staleness allowed nothing is at hand.
        #expect(two.entriesAtHand(CacheKey(text: "a")) == nil)
        #expect(await two.found("a").map(\.response.note) == ["1"])
        one.update(entry, .sample("a", note: "2"))
        #expect(await one.found("a").count == 1)
        #expect(await two.found("a").map(\.response.note) == ["2"])
        #expect(await one.purged(.all) == 1)
        #expect(await two.found("a").isEmpty)
    }

    @Test func `a removal by another store breaks a body that is read here, and never changes it`() async throws {
        let folder = try TemporaryFolder()
        let one = SQLiteCacheStore.make(folder, staleness: .zero)
        let two = SQLiteCacheStore.make(folder, staleness: .zero)
        defer {
            one.close(within: .seconds(60))
            two.close(within: .seconds(60))
        }
        let body = bytes(2_000_000, seed: 1)
        let entry = try #require(await one.keep(.sample("a"), body))
        let source = one.body(of: entry, 0..<entry.length)
        guard case .bytes(let piece) = await source.next() else { return #expect(Bool(false), "no first piece") }

        #expect(await two.purged(.all) == 1)
        await two.keep(.sample("a"), bytes(2_000_000, seed: 2))
        #expect(piece.array == Array(body.prefix(piece.count)))

        await #expect(throws: PlugboardError.removed) { _ = try await source.readAll() }
    }

    @Test func `the rows of an ended process are removed, and those of a running one are not`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = SQLiteCacheStore.make(folder)
        let writer = try #require(store.write(length: nil))
        #expect(await writer.appendAll(bytes(1_000_000, seed: 1), pieceSize: 50_000))
        // Appended bytes are written on the store's own thread.
        _ = await store.statistics
        let raw = SQLiteStore(.file(folder.file("cache.sqlite")), schema: CacheSchema.schema) { _ in }
        defer { raw.close(within: .seconds(60)) }
        let own = ProcessIdentity().text
        // An owner of an earlier start of the system, one whose process id was reused, and an invalid one.
        let parts = own.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let gone = [
            [parts[0], parts[1], parts[2], "earlier", "1"], [parts[0], "1", parts[2], parts[3], "1"], ["nonsense"],
        ].map { $0.joined(separator: " ") }
        let foreign = [parts[0], parts[1], "elsewhere", parts[3], "1"].joined(separator: " ")
        try await raw.performing { (connection) throws(SQLiteFailure) in
            for owner in gone + [foreign, foreign] {
                try connection.run(
                    "INSERT INTO entry (owner, key, url, used, length, sum, head) VALUES (?, 0, '', 0, 0, 0, x'')",
                    .text(owner))
            }
            try connection.run(
                "UPDATE entry SET used = strftime('%s', 'now') WHERE id = ?", .integer(connection.lastInsertedID))
            try connection.run("INSERT INTO piece SELECT id << 20, 0, x'00' FROM entry WHERE used = 0")
        }

        let later = SQLiteCacheStore.make(folder)
        _ = await later.found("a")
        let owners = try await raw.performing { (connection) throws(SQLiteFailure) in
            try connection.rows("SELECT owner FROM entry") { $0.text(0) }
        }
        #expect(Set(owners) == [store.file.owner, foreign])
        #expect(owners.count == 2)
        let pieces = try await raw.performing { (connection) throws(SQLiteFailure) in
            try connection.rows("SELECT id FROM piece WHERE bytes = x'00'") { $0.integer(0) }
        }
        #expect(pieces.isEmpty)
        #expect(await writer.committed(.sample("a")) != nil)
        later.close(within: .seconds(60))
        store.close(within: .seconds(60))
    }

    @Test func `a flipped byte in a body or a head is detected, and removes the entry`() async throws {
        let folder = try TemporaryFolder()
        let notices = Record()
        let store = SQLiteCacheStore.make(folder, notices: notices)
        defer { store.close(within: .seconds(60)) }
        let raw = SQLiteStore(.file(folder.file("cache.sqlite")), schema: CacheSchema.schema) { _ in }
        defer { raw.close(within: .seconds(60)) }
        for key in ["small", "head"] { await store.keep(.sample(key), [1, 2, 3]) }
        await store.keep(.sample("medium"), bytes(10_000, seed: 1))
        let large = try #require(await store.keep(.sample("large"), bytes(262_144, seed: 1)))
        let swapped = try #require(await store.keep(.sample("swapped"), bytes(262_144, seed: 1)))
        try await raw.performing { (connection) throws(SQLiteFailure) in
            try connection.script(
                """
                UPDATE entry SET body = x'010204' WHERE url LIKE '%/small';
                UPDATE piece SET bytes = zeroblob(10000) WHERE id >> 20 = (
                    SELECT id FROM entry WHERE url LIKE '%/medium');
                UPDATE entry SET head = CAST(replace(head, x'7465', x'7466') AS BLOB) WHERE url LIKE '%/head';
                UPDATE piece SET bytes = zeroblob(65536) WHERE id = \(large.id << 20 + 3);
                UPDATE piece SET bytes = (SELECT bytes FROM piece WHERE id = \(swapped.id << 20 + 1)),
                    sum = (SELECT sum FROM piece WHERE id = \(swapped.id << 20 + 1)) WHERE id = \(swapped.id << 20 + 2);
                """)
        }

        for key in ["small", "medium", "head"] { #expect(await store.found(key).isEmpty) }
        for entry in [large, swapped] {
            await #expect(throws: PlugboardError.damaged) { _ = try await store.read(entry) }
        }
        #expect(await store.found("large").isEmpty)
        #expect(await store.statistics.entries == 0)
        #expect(notices.lines.count == 5)
    }

    @Test func `a body is read whole and in parts, in its row, in pieces or in a file`() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteCacheStore.make(folder)
        defer { store.close(within: .seconds(60)) }
        let piece = PieceBuffer.pieceSize
        for length in [0, 1, CacheFile.smallSize, CacheFile.smallSize + 1, piece, 4 * piece, 4 * piece + 1, 9 * piece] {
            let body = bytes(length, seed: UInt64(length))
            await store.keep(.sample("\(length)"), body)
            var entry = try #require(await store.found("\(length)").first)
            // The entry as memory has it, without its body.
            entry.pieces = nil

            #expect(try await store.read(entry) == body)
            for part in [0..<length, length / 3..<length / 2, length / 2..<length, length..<length] {
                #expect(try await store.read(entry, part) == Array(body[part]), "\(part) of \(length)")
            }
        }
    }

    @Test func `a missing piece is not damage, and removes the entry`() async throws {
        let folder = try TemporaryFolder()
        let notices = Record()
        let store = SQLiteCacheStore.make(folder, notices: notices)
        defer { store.close(within: .seconds(60)) }
        let raw = SQLiteStore(.file(folder.file("cache.sqlite")), schema: CacheSchema.schema) { _ in }
        defer { raw.close(within: .seconds(60)) }
        for piece in [0, 2, 3] {
            let entry = try #require(await store.keep(.sample("a"), bytes(250_000, seed: 1)))
            try await raw.performing { (connection) throws(SQLiteFailure) in
                try connection.run("DELETE FROM piece WHERE id = ?", .integer(entry.id << 20 + Int64(piece)))
            }

            await #expect(throws: PlugboardError.removed) { _ = try await store.read(entry) }
            #expect(await store.found("a").isEmpty)
        }
        #expect(notices.lines.isEmpty)
    }

    @Test(arguments: kinds, 0..<8)
    func `flipped bytes anywhere in the file never crash, and are never served`(_ kind: StoreKind, _ seed: UInt64)
        async throws
    {
        let folder = try TemporaryFolder()
        var generator = SeededRandom(seed: seed)
        let store = kind.make(folder)
        func body(_ number: Int) -> [UInt8] { bytes(number * 1500, seed: UInt64(number)) }
        for number in 0..<60 { await store.keep(.sample("\(number)"), body(number)) }
        // The file is open in some rounds, and closed in others.
        let isOpen = seed % 2 == 0
        if isOpen { _ = await store.purged(.url("none")) } else { store.close(within: .seconds(60)) }
        for name in try folder.entries() where seed % 3 == 0 || !name.hasSuffix("-shm") {
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: folder.file(name)))
            let size = try handle.seekToEnd()
            for _ in 0..<(isOpen ? 40 : 12) where size > 0 {
                try handle.seek(toOffset: .random(in: 0..<size, using: &generator))
                try handle.write(contentsOf: Data([.random(in: 0...255, using: &generator)]))
            }
            // In a process with the file open, closing it ends SQLite's locks: another may then use the file at once.
            if !isOpen { try handle.close() }
        }
        let again = isOpen ? store : kind.make(folder)
        defer { again.close(within: .seconds(60)) }

        for number in 0..<60 {
            for entry in await again.found("\(number)") {
                if let found = try? await again.read(entry) { #expect(found == body(number)) }
            }
        }
        // This entry may be the first to find the damage; then the next one is in a new file.
        _ = await again.purged(.all)
        for _ in 1...3 { await again.keep(.sample("new"), body(50)) }
        let entry = try #require(await again.found("new").first)
        #expect(try await again.read(entry) == body(50))
    }

    @Test(arguments: kinds)
    func `a file of another program is not changed, and one warning is logged`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let text = String(repeating: "no database ", count: 1000)
        try folder.write("cache.sqlite", text)
        let notices = Record()

        let store = kind.make(folder, notices: notices)
        defer { store.close(within: .seconds(60)) }
        await store.keep(.sample("a"), [1])

        #expect(await store.found("a").count == (kind == .tiered ? 1 : 0))
        #expect(notices.lines.count { $0.contains("is not a database of this program") } > 0)
        #expect(try folder.entries() == ["cache.sqlite"] && folder.read("cache.sqlite") == Array(text.utf8))
    }

    @Test(arguments: kinds)
    func `a file that is removed while it is open is created again`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder)
        defer { store.close(within: .seconds(60)) }
        await store.keep(.sample("a"), bytes(300_000, seed: 1))
        for name in try folder.entries() { try FileManager.default.removeItem(atPath: folder.file(name)) }

        let body = bytes(300_000, seed: 2)
        await store.keep(.sample("b"), body)

        let foundB = try #require(await store.found("b").first)
        #expect(try await store.read(foundB) == body)
        #expect(await store.found("a").isEmpty)
        #expect(try folder.entries().contains("cache.sqlite"))
    }

    @Test func `a purge of all shrinks the file`() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteCacheStore.make(folder)
        defer { store.close(within: .seconds(60)) }
        for number in 0..<10 { await store.keep(.sample("\(number)"), bytes(1_000_000, seed: 1)) }

        #expect(await store.purged(.all) == 10)
        _ = await store.statistics

        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let sizes = try names.filter { !$0.hasSuffix("-reserve") }.map {
            try FileManager.default.attributesOfItem(atPath: folder.file($0))[.size] as? Int ?? 0
        }
        #expect(sizes.reduce(0, +) < 200_000)
    }
}
