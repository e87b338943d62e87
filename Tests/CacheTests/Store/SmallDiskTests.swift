import Foundation
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCache

/// A file system that is smaller than `disk`.
@Suite struct SmallDiskTests {
    @Test(
        .enabled(if: SmallDisk.isAvailable, "only who may mount file systems has a small one"),
        arguments: ["a store with a limit above its disk", "on a disk filled by others a store serves"])
    func `on a small disk storing fails, and everything else works`(_ filter: String) async throws {
        let folder = try TemporaryFolder()

        let outcome = try await SmallDisk.run(filter, mebibytes: 8, at: folder)

        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
        #expect("\(outcome.stdout)\(outcome.stderr)".contains("with 1 test"), "\(outcome.stdout) \(outcome.stderr)")
    }

    @Test(.enabled(if: SmallDisk.folder != nil))
    func `a store with a limit above its disk continues storing, and leaves room`() async throws {
        let folder = try #require(SmallDisk.folder)
        let notices = Record()
        let store = make(folder, notices)
        defer { store.close(within: .seconds(60)) }

        for number in 0..<100 {
            #expect(await store.keep(.sample("\(number)"), bytes(300_000, seed: UInt64(number))) != nil, "\(number)")
        }

        let newest = try #require(await store.found("99").first)
        #expect(try await store.read(newest) == bytes(300_000, seed: 99))
        #expect(await store.found("0").isEmpty && store.evictions > 50)
        #expect(await store.statistics.entries > 8)
        #expect(try SmallDisk.available(at: folder) > 1 << 20)
        #expect(notices.lines == [])
    }

    @Test(.enabled(if: SmallDisk.folder != nil))
    func `on a disk filled by others a store serves and removes entries, and stores again when there is room`()
        async throws
    {
        let folder = try #require(SmallDisk.folder)
        let filler = "\(folder)/filler"
        let notices = Record()
        let store = make(folder, notices)
        for number in 0..<8 { await store.keep(.sample("\(number)"), bytes(300_000, seed: UInt64(number))) }

        try SmallDisk.fill(filler)
        for number in 0..<8 { try await expect(store, has: UInt64(number)) }
        let isStored = await store.keep(.sample("more"), bytes(300_000, seed: 9)) != nil
        store.remove(await store.found("0"))
        store.invalidate(url: "https://example.com/1")
        let isGone = await store.found("0").isEmpty
        let isMarked = await store.found("1").map(\.response.isInvalidated)
        #expect(!isStored && isGone && isMarked == [true])
        #expect(store.state.withLock { $0.unfinished.isEmpty })
        #expect(notices.lines.count == 1)
        store.close(within: .seconds(60))

        // Fills the room that closing has freed.
        try SmallDisk.fill(filler)
        let again = make(folder, notices)
        defer { again.close(within: .seconds(60)) }
        for number in 1..<8 { try await expect(again, has: UInt64(number)) }
        #expect(await again.found("0").isEmpty)
        #expect(await again.purged(.url("https://example.com/2")) == 1)
        #expect(await again.purged(.all) == 6)
        #expect(await again.found("3").isEmpty)

        try FileManager.default.removeItem(atPath: filler)
        #expect(await again.keep(.sample("new"), bytes(300_000, seed: 7)) != nil)
        try await expect(again, has: 7, as: "new")
    }

    @Test func `a read that fails loses no entry, and leaves the file in its place`() async throws {
        let folder = try TemporaryFolder()

        let outcome = try await ReadFaults.run("the cache whose reads fail", in: folder)

        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
        #expect("\(outcome.stdout)\(outcome.stderr)".contains("with 1 test"), "\(outcome.stdout)")
    }

    @Test(.enabled(if: ReadFaults.folder != nil))
    func `the cache whose reads fail`() async throws {
        let folder = try #require(ReadFaults.folder)
        let sizes = [10, 30_000, 600_000]
        let first = make(folder, Record())
        for size in sizes { await first.keep(.sample("\(size)"), bytes(size, seed: 1)) }
        first.close(within: .seconds(60))

        try await ReadFaults.atAllPositions {
            let store = make(folder, Record())
            defer { store.close(within: .seconds(60)) }
            for size in sizes {
                guard let entry = await store.found("\(size)").first else { continue }
                _ = try? await store.read(entry)
            }
        } check: {
            let store = make(folder, Record())
            defer { store.close(within: .seconds(60)) }
            for size in sizes {
                let entry = try #require(await store.found("\(size)").first, "\(size)")
                #expect(try await store.read(entry) == bytes(size, seed: 1))
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!names.contains { $0.contains("damaged") })
        }
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "only who may mount file systems has one that is read-only"))
    func `from a read-only file system a store serves, with one notice`() async throws {
        let folder = try TemporaryFolder()
        let first = make(folder.path, Record())
        for number in 0..<3 { await first.keep(.sample("\(number)"), bytes(300_000, seed: UInt64(number))) }
        first.close(within: .seconds(60))

        let outcome = try await SmallDisk.runReadOnly("the cache on a read-only file system", at: folder)

        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
        #expect("\(outcome.stdout)\(outcome.stderr)".contains("with 1 test"), "\(outcome.stdout)")
    }

    @Test(.enabled(if: SmallDisk.folder != nil))
    func `the cache on a read-only file system`() async throws {
        let notices = Record()
        let store = make(try #require(SmallDisk.folder), notices)
        defer { store.close(within: .seconds(60)) }

        for number in 0..<3 { try await expect(store, has: UInt64(number)) }
        #expect(await store.keep(.sample("more"), bytes(300_000, seed: 9)) == nil)
        store.invalidate(url: "https://example.com/1")

        #expect(await store.found("1").map(\.response.isInvalidated) == [true])
        #expect(notices.lines.count == 1, "\(notices.lines)")
    }

    private func make(_ folder: String, _ notices: Record) -> SQLiteCacheStore {
        SQLiteCacheStore(
            path: "\(folder)/cache.sqlite", bytes: 64 << 20, staleness: .seconds(3600), pause: .zero
        ) { notices.add($0) }
    }

    private func expect(_ store: SQLiteCacheStore, has seed: UInt64, as key: String? = nil) async throws {
        let entry = try #require(await store.found(key ?? "\(seed)").first, "\(seed)")
        #expect(try await store.read(entry) == bytes(300_000, seed: seed))
    }
}
