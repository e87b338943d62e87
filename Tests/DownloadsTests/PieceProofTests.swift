import Foundation
import Plugboard
import PlugboardRanges
import Synchronization
import TestSupport
import Testing

@testable import PlugboardDownloads

/// Pieces that are verified one by one.
struct PieceProofTests {
    private let content = RangeServer.content(3_000_000)
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("file")
    }

    private func pieces(_ length: Int) throws -> PieceHashes {
        let digests = stride(from: 0, to: content.count, by: length).compactMap { first in
            ExpectedDigest("sha-256", Bytes(Array(content[first..<min(first + length, content.count)])).sha256)
        }
        return try #require(PieceHashes(length: length, size: content.count, digests: digests))
    }

    /// A server that sends a wrong byte at an offset, as often as a test says.
    private func wrong(at offset: Int, times: Int = .max) throws -> RangeServer {
        let left = Mutex(times)
        return try RangeServer { [content] _, request in
            let end = RangeServer.range(of: request)?.last.map { $0 + 1 } ?? content.count
            let has = (RangeServer.range(of: request)?.first ?? 0)..<end ~= offset
            let isWrong =
                has
                && left.withLock { left in
                    left -= 1
                    return left >= 0
                }
            var bytes = content
            if isWrong { bytes[offset] ^= 1 }
            return RangeServer.correct(request, bytes)
        }
    }

    @Test(arguments: [1, 4])
    func `only a wrong piece is fetched again, from another server`(segments: Int) async throws {
        let server = try wrong(at: 1_250_000)
        let mirror = try RangeServer { [content] _, request in RangeServer.correct(request, content, tag: "\"m\"") }
        var download = Download(Request(.get, server.url), to: path)
        download.pieces = try pieces(100_000)
        download.mirrors = [Request(.get, mirror.url)]
        download.segments = segments

        let result = try await download.run(with: Kernel())

        #expect(result.isVerified)
        #expect(try folder.read("file") == content)
        if segments == 1 {
            #expect(mirror.requests.first?["Range"]?.hasPrefix("bytes=1200000-") == true)
            #expect(server.requests.count == 1)
        } else {
            // Each place but the wrong piece is requested once, and the whole only at the beginning.
            var starts = (server.requests + mirror.requests).map { RangeServer.range(of: $0)?.first ?? 0 }
            if let again = starts.lastIndex(of: 1_200_000) { starts.remove(at: again) }
            #expect(starts.filter { $0 == 0 }.count == 1 && Set(starts).count == starts.count, "\(starts)")
        }
    }

    @Test func `the only server may repeat a piece`() async throws {
        let server = try wrong(at: 1_250_000, times: 1)
        var download = Download(Request(.get, server.url), to: path)
        download.pieces = try pieces(100_000)

        try await download.run(with: Kernel())

        #expect(try folder.read("file") == content)
        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=1200000-1299999"])
    }

    @Test func `a piece that is wrong each time fails, and the others stay`() async throws {
        let server = try wrong(at: 1_250_000)
        var download = Download(Request(.get, server.url), to: path)
        download.pieces = try pieces(100_000)

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }
        let journal = try #require(Journal(try folder.read("file.part.json")))

        #expect(error?.code == .downloadDigest && server.requests.count == 3)
        #expect(journal.verified.missing(below: content.count) == [1_200_000..<1_300_000])
        #expect(try folder.entries().sorted() == ["file.part", "file.part.json"])
    }

    @Test func `pieces of a server without ranges are verified, too`() async throws {
        let server = try RangeServer { [content] _, _ in
            var bytes = content
            bytes[1_250_000] ^= 1
            return .init(200, [], bytes)
        }
        let mirror = try RangeServer { [content] _, request in RangeServer.correct(request, content, tag: "\"m\"") }
        var download = Download(Request(.get, server.url), to: path)
        download.pieces = try pieces(100_000)

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }
        download.mirrors = [Request(.get, mirror.url)]
        try await download.run(with: Kernel())

        #expect(error?.code == .downloadDigest)
        #expect(try folder.read("file") == content)
    }

    @Test func `ranges are removed, compared and found as sets of their offsets`() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<500 {
            var ranges = ByteRanges()
            var offsets = Set<Int>()
            func any() -> Range<Int> {
                let first = Int.random(in: 0..<60, using: &random)
                return first..<first + Int.random(in: 0..<12, using: &random)
            }
            for _ in 0..<6 {
                let (added, removed) = (any(), any())
                ranges.insert(added)
                ranges.remove(removed)
                offsets = offsets.union(added).subtracting(removed)
            }
            let (probe, other) = (any(), ByteRanges(any()))
            #expect(ranges.ranges.flatMap { $0 } == offsets.sorted())
            #expect(probe.isEmpty || ranges.contains(probe) == offsets.isSuperset(of: probe))
            #expect(
                ranges.common(with: other).ranges.flatMap { $0 }
                    == offsets.intersection(other.ranges.flatMap { $0 }).sorted())
        }
    }
}
