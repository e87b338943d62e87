import Foundation
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCache

/// Bodies that are being stored count for the limits.
@Suite struct UnfinishedBodiesTests {
    private static let limit = 8 << 20

    @Test(arguments: StoreKind.allCases)
    func `many large unfinished bodies stay within the limit`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder, bytes: Self.limit)
        defer { store.close(within: .seconds(60)) }
        // Each body has the largest allowed size, and all grow in step.
        let body = bytes(Self.limit / 4, seed: 1)
        var writers = (0..<16).compactMap { number in store.write(length: nil).map { (number, $0) } }
        for start in stride(from: 0, to: body.count, by: 1 << 16) {
            var others: [(Int, any EntryWriter)] = []
            for (number, writer) in writers {
                if await writer.appendAll(Array(body[start..<start + 1 << 16]), pieceSize: 1 << 16) {
                    others.append((number, writer))
                }
            }
            writers = others
            #expect(try size(of: folder) <= Self.limit + (3 << 20), "\(start) \(writers.count)")
        }

        for (number, writer) in writers { #expect(await writer.committed(.sample("\(number)")) != nil) }

        #expect((1...2).contains(writers.count))
        for (number, _) in writers {
            let entry = try #require(await store.found("\(number)").first)
            #expect(try await store.read(entry) == body)
        }
        // Discarded bodies do not count.
        #expect(await store.keep(.sample("later"), body) != nil)
        #expect(try size(of: folder) <= Self.limit + (3 << 20))
    }

    @Test(arguments: StoreKind.allCases)
    func `a body of known length is refused at once if others take the room`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.make(folder, bytes: Self.limit)
        defer { store.close(within: .seconds(60)) }
        let body = bytes(Self.limit / 4, seed: 1)
        let writers = [store.write(length: body.count), store.write(length: body.count)].compactMap { $0 }
        for writer in writers { #expect(await writer.appendAll(body, pieceSize: 1 << 16)) }

        #expect(await store.keep(.sample("third"), body, length: body.count) == nil)
        for writer in writers { writer.discard() }

        #expect(await store.keep(.sample("third"), body, length: body.count) != nil)
    }

    @Test func `unfinished bodies in memory remove the least recently used entries`() throws {
        var table = MemoryTable(byteLimit: 100_000, countLimit: 100)
        for number in 1...8 {
            let entry = CacheEntry(id: Int64(number), response: .sample("\(number)"), length: 10_000)
            table.insert(entry, [Bytes(bytes(10_000, seed: 1))])
        }

        let isCounted = table.reserve(50_000)
        let isRefused = !table.reserve(1)
        let atFull = table.bytes
        table.release(50_000)
        let isFree = table.reserved == 0

        #expect(isCounted && isRefused && atFull <= 50_000 && table.count == 4)
        #expect(isFree)
    }

    /// Of the database, its log and the files of bodies.
    private func size(of folder: TemporaryFolder) throws -> Int {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return names.filter { !$0.hasSuffix("-reserve") }.reduce(0) { sum, name in
            // SQLite may remove its journal after the folder was listed.
            let size = try? FileManager.default.attributesOfItem(atPath: folder.file(name))[.size] as? Int
            return sum + (size ?? 0)
        }
    }
}
