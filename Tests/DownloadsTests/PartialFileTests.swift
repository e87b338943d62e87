import Foundation
import Plugboard
import PlugboardRanges
import Synchronization
import TestSupport
import Testing

@testable import PlugboardDownloads

/// What of a partial file counts after failures of the disk, and after another start of the system.
struct PartialFileTests {
    private let folder: TemporaryFolder
    private let path: String
    private let representation = Representation(validator: .entityTag("\"a\""), length: 1000, coding: "")

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("file")
    }

    private static let trusts = [
        TransferTrust(), TransferTrust(isVerified: false), TransferTrust(detour: "a"), TransferTrust(detour: "b"),
    ]

    @Test(arguments: trusts, trusts)
    func `bytes are taken up only with the trust and by the detour by which they came`(
        before: TransferTrust, now: TransferTrust
    ) async throws {
        try await withPartial { (partial: PartialFile) async throws in
            partial.trust = before
            try partial.begin(representation, url: "url", name: nil)
            try write(partial, 100, at: 0)
        }

        let next = try PartialFile(path)
        next.trust = now
        next.takeUp(url: "url", nil)

        #expect(next.count == (before == now ? 100 : 0))
    }

    @Test(arguments: [false, true])
    func `after a flush that failed, only what was flushed before counts`(isInParts: Bool) async throws {
        let flushes = Mutex(0)
        try await begin { partial async throws in
            if isInParts { try partial.allocate(1000) }
            try write(partial, 100, at: 0)
            try await partial.synchronize()
            try write(partial, 200, at: isInParts ? 500 : 100)
            partial.flush = { _ in
                flushes.withLock { $0 += 1 }
                errno = EIO
                return -1
            }

            await #expect(throws: PlugboardError.self) { try await partial.synchronize() }
            // A second flush would succeed.
            await #expect(throws: Never.self) { try await partial.synchronize() }

            #expect(flushes.withLock { $0 } == 1)
            #expect(partial.count == 100)
        }

        let next = try PartialFile(path)
        next.takeUp(url: "url", nil)
        #expect(next.received == ByteRanges(0..<100))
    }

    @Test(arguments: [false, true])
    func `after another start of the system, later bytes count without a flush`(isInParts: Bool) async throws {
        try await begin { partial async throws in
            if isInParts { try partial.allocate(1000) }
            try write(partial, 100, at: 0)
            try await partial.synchronize()
            try write(partial, 50, at: 100)
            var journal = try #require(partial.journal)
            journal.boot = "earlier"
            try partial.save(journal)
        }
        try await withPartial { (partial: PartialFile) async throws in
            partial.takeUp(url: "url", nil)
            #expect(partial.count == 100)
            try write(partial, 7, at: 100)
            if isInParts { try await partial.synchronize() }
        }

        let last = try PartialFile(path)
        last.takeUp(url: "url", nil)
        #expect(last.count == 107)
    }

    @Test func `a journal keeps why bytes of several servers are combined`() throws {
        let digest = try #require(ExpectedDigest("sha-256=" + String(repeating: "ab", count: 32)))
        for combination in [nil, Journal.Combination.trusted, .verified(digest)] {
            var journal = Journal(url: "url", boot: "boot", representation: representation)
            journal.combination = combination
            #expect(Journal(journal.text)?.combination == combination)
        }
    }

    private func begin(_ body: (PartialFile) async throws -> Void) async throws {
        try await withPartial { (partial: PartialFile) async throws in
            try partial.begin(representation, url: "url", name: nil)
            try await body(partial)
        }
    }

    /// Releases the file at the end, so that it can be opened once more.
    private func withPartial(_ body: (PartialFile) async throws -> Void) async throws {
        try await body(PartialFile(path))
    }

    private func write(_ partial: PartialFile, _ count: Int, at offset: Int) throws {
        try [UInt8](repeating: 7, count: count).withUnsafeBytes { _ = try partial.write($0, at: offset) }
    }
}
