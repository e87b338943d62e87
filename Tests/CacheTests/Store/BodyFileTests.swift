import Foundation
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCache

/// Large bodies, which are in files beside the database.
@Suite struct BodyFileTests {
    private static let size = 700_000

    /// The names in the folder of bodies.
    private static func names(_ folder: TemporaryFolder) -> [String] {
        let path = folder.file("cache.sqlite-bodies")
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    private static func path(_ folder: TemporaryFolder, _ entry: CacheEntry) -> String {
        folder.file("cache.sqlite-bodies/\(entry.id)")
    }

    @Test func `only a large body has a file, which only its owner may read`() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteCacheStore.make(folder)
        defer { store.close(within: .seconds(60)) }

        await store.keep(.sample("medium"), bytes(CacheFile.databaseSize, seed: 1))
        let large = try #require(await store.keep(.sample("large"), bytes(CacheFile.databaseSize + 1, seed: 1)))

        #expect(Self.names(folder) == ["\(large.id)"])
        let modes = try [Self.path(folder, large), folder.file("cache.sqlite-bodies")].map {
            try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
        }
        #expect(modes == [0o600, 0o700])
    }

    @Test(arguments: ["a flipped byte", "a cut end", "the bytes of another body"])
    func `a changed file is never served, and is removed with its entry`(_ change: String) async throws {
        let folder = try TemporaryFolder()
        let notices = Record()
        let store = SQLiteCacheStore.make(folder, notices: notices)
        defer { store.close(within: .seconds(60)) }
        let entry = try #require(await store.keep(.sample("a"), bytes(Self.size, seed: 1)))
        let other = try #require(await store.keep(.sample("b"), bytes(Self.size, seed: 2)))
        let path = Self.path(folder, entry)
        switch change {
        case "a flipped byte":
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            try file.seek(toOffset: UInt64(Self.size - 1))
            let last = try #require(try file.readToEnd()?.first)
            try file.seek(toOffset: UInt64(Self.size - 1))
            try file.write(contentsOf: Data([last ^ 1]))
            try file.close()
        case "a cut end": #expect(truncate(path, off_t(Self.size - 1)) == 0)
        default:
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: Self.path(folder, other), toPath: path)
        }

        await #expect(throws: PlugboardError.damaged) { _ = try await store.read(entry) }

        #expect(await store.found("a").isEmpty)
        #expect(Self.names(folder) == ["\(other.id)"] && notices.lines.count == 1)
        #expect(try await store.read(other) == bytes(Self.size, seed: 2))
    }

    @Test func `a missing file is not damage, and removes the entry`() async throws {
        let folder = try TemporaryFolder()
        let notices = Record()
        let store = SQLiteCacheStore.make(folder, notices: notices)
        defer { store.close(within: .seconds(60)) }
        let entry = try #require(await store.keep(.sample("a"), bytes(Self.size, seed: 1)))
        try FileManager.default.removeItem(atPath: Self.path(folder, entry))

        await #expect(throws: PlugboardError.removed) { _ = try await store.read(entry) }

        #expect(await store.found("a").isEmpty && notices.lines.isEmpty)
    }

    @Test func `a file goes when its entry is removed, replaced or purged, and a reader keeps it until its end`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = SQLiteCacheStore.make(folder)
        defer { store.close(within: .seconds(60)) }
        let first = try #require(await store.keep(.sample("a"), bytes(Self.size, seed: 1)))
        let source = store.body(of: first, 0..<first.length)

        let second = try #require(await store.keep(.sample("a"), bytes(Self.size, seed: 2), replacing: [first]))
        #expect(Self.names(folder) == ["\(first.id)", "\(second.id)"])
        #expect(try await source.readAll() == bytes(Self.size, seed: 1))
        _ = await store.statistics
        #expect(Self.names(folder) == ["\(second.id)"])

        #expect(await store.purged(.all) == 1)
        #expect(Self.names(folder).isEmpty)
    }

    @Test func `a discarded body leaves no file`() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteCacheStore.make(folder)
        defer { store.close(within: .seconds(60)) }
        let writer = try #require(store.write(length: nil))
        #expect(await writer.appendAll(bytes(Self.size, seed: 1), pieceSize: 50_000))
        _ = await store.statistics
        #expect(Self.names(folder).count == 1)

        writer.discard()
        _ = await store.statistics

        #expect(Self.names(folder).isEmpty)
    }

    @Test func `files without a row are removed when the database is opened, and other files are not`() async throws {
        let folder = try TemporaryFolder()
        let first = SQLiteCacheStore.make(folder)
        let entry = try #require(await first.keep(.sample("a"), bytes(Self.size, seed: 1)))
        first.close(within: .seconds(60))
        for name in ["7", "8.new", "notes"] { try folder.write("cache.sqlite-bodies/\(name)", "x") }

        let second = SQLiteCacheStore.make(folder)
        defer { second.close(within: .seconds(60)) }

        #expect(try await second.read(try #require(await second.found("a").first)) == bytes(Self.size, seed: 1))
        #expect(Self.names(folder) == ["\(entry.id)", "notes"])
    }

    @Test func `files count for the limit, and evictions remove them`() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteCacheStore.make(folder, bytes: 8 << 20)
        defer { store.close(within: .seconds(60)) }

        for number in 0..<30 { await store.keep(.sample("\(number)"), bytes(Self.size, seed: UInt64(number))) }
        _ = await store.statistics

        let size = try Self.names(folder).reduce(0) { sum, name in
            let path = folder.file("cache.sqlite-bodies/\(name)")
            return sum + (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
        }
        #expect((4 << 20...8 << 20).contains(size))
        #expect(await store.statistics.entries == Self.names(folder).count)
        #expect(await store.found("29").count == 1)
        #expect(await store.found("0").isEmpty)
    }
}
