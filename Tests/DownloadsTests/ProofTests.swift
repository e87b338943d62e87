import Foundation
import Plugboard
import PlugboardRanges
import Synchronization
import TestSupport
import Testing

@testable import PlugboardDownloads

/// Digests that go on where they were, and pieces that are verified one by one.
struct ProofTests {
    private let content = RangeServer.content(3_000_000)
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("file")
    }

    private func hexadecimal(_ algorithm: ExpectedDigest.Algorithm, _ bytes: some Collection<UInt8>) -> String {
        var digest = RunningDigest(algorithm)
        Array(bytes).withUnsafeBytes { digest.update($0) }
        return digest.hexadecimal
    }

    // MARK: Digests so far

    @Test(arguments: ExpectedDigest.Algorithm.allCases)
    func `a digest goes on from its state`(algorithm: ExpectedDigest.Algorithm) throws {
        var first = RunningDigest(algorithm)
        content[..<12_800].withUnsafeBytes { first.update($0) }

        var second = RunningDigest(try #require(first.state))
        content[12_800..<100_000].withUnsafeBytes { second.update($0) }

        #expect(second.hexadecimal == hexadecimal(algorithm, content[..<100_000]))
        #expect(second.count == 100_000 && second.state == nil)
    }

    @Test func `a digest follows the first bytes, in whatever order all come, and the journal has its state`()
        async throws
    {
        let partial = try begin()
        partial.compute([.sha256, .sha512])

        for first in [2_000_000, 0, 1_000_000] { try write(partial, first..<first + 1_000_000) }
        let wrong = try await partial.missing([
            try #require(ExpectedDigest("sha-256", hexadecimal(.sha256, content))),
            try #require(ExpectedDigest("sha-512", hexadecimal(.sha512, content))),
        ])
        try partial.saveState()

        #expect(wrong == nil)
        let journal = try #require(Journal(try folder.read("file.part.json")))
        #expect(Set(journal.digests.map(\.algorithm)) == [.sha256, .sha512])
        // The rest is less than what a task reads at once.
        #expect(journal.digests.allSatisfy { $0.count > 2_700_000 && $0.count <= 3_000_000 })
    }

    @Test func `bytes that are part of the journal's digest are not read again`() async throws {
        var state = RunningDigest(.sha256)
        content[..<1_280_000].withUnsafeBytes { state.update($0) }
        let saved = try #require(state.state)
        // What stands on the disk would give another digest.
        let descriptor = open(
            try folder.write("bytes", [UInt8](repeating: 0, count: 1_280_000) + content[1_280_000...]), O_RDONLY)
        let digests = FileDigests(OpenFile(descriptor, "bytes"))

        digests.begin([.sha256], from: [saved])
        let values = try await digests.end(of: content.count)

        #expect(values[.sha256] == hexadecimal(.sha256, content))
    }

    @Test(arguments: [0, 30])
    func `a writer that is faster than the digests waits for them`(earlier: Int) async throws {
        let mebibyte = 1 << 20
        let path = try folder.write("bytes", [])
        // A file without blocks: bytes cost nothing to write.
        truncate(path, off_t((earlier + 200) * mebibyte))
        let digests = FileDigests(OpenFile(open(path, O_RDONLY), "bytes"))
        digests.begin([.sha512], from: [])
        digests.grow(to: earlier * mebibyte)

        var most = 0
        for count in 1...64 {
            let written = (earlier + count) * mebibyte
            digests.grow(to: written)
            await digests.keepUp(with: mebibyte)
            most = max(most, written - (digests.saved.first?.count ?? 0))
        }

        // What was there before is not waited for; the task reads a quarter of a mebibyte at once.
        #expect(most <= max(FileDigests.lead, earlier * mebibyte) + 2 * mebibyte)
    }

    /// Responds with pieces from memory, faster than they can be digested, and breaks before the announced end.
    private struct FastSender: RequestSender {
        func options(of request: Request) -> RequestOptions { request.options }

        let count: Int

        nonisolated(nonsending) func send(_: Request) async throws(PlugboardError) -> Response {
            let piece = Bytes([UInt8](repeating: 1, count: 1 << 20))
            let pieces = AsyncThrowingStream<Bytes, any Error> { stream in
                for _ in 0..<count { stream.yield(piece) }
                stream.finish(throwing: PlugboardError(.transportReset, "The connection is gone."))
            }
            var head = ResponseHead(status: 200)
            head.fields = ["Content-Length": "\((count + 1) << 20)", "ETag": "\"a\""]
            return Response(head: head, body: .stream(pieces))
        }
    }

    @Test func `the journal of a fast transfer has the digest of nearly all bytes`() async throws {
        var download = Download(Request(.get, "http://a.test/"), to: path)
        download.digest = ExpectedDigest("sha-512", String(repeating: "0", count: 128))
        download.attempts = 1

        _ = try? await download.run(with: FastSender(count: 100))

        let journal = try #require(Journal(try folder.read("file.part.json")))
        #expect(try #require(journal.digests.first).count > (100 - 26) << 20)
    }

    @Test(arguments: [true, false])
    func `an interrupted download goes on with the journal's digest, and a damaged one costs a reading only`(
        isDamaged: Bool
    ) async throws {
        let server = try RangeServer { [content] number, request in
            RangeServer.correct(request, content, cut: number == 1 ? 2_900_000 : nil)
        }
        var download = Download(Request(.get, server.url), to: path)
        download.digest = ExpectedDigest("sha-256", hexadecimal(.sha256, content))
        download.attempts = 1
        _ = try? await download.run(with: Kernel())
        let left = try folder.read("file.part").count
        var journal = try #require(Journal(try folder.read("file.part.json")))
        var digest = RunningDigest(.sha256)
        content[..<128_000].withUnsafeBytes { digest.update($0) }
        let right = try #require(digest.state)
        let damaged = try #require(RunningDigest.State(.sha256, count: 128_000, words: [1, 2, 3, 4, 5, 6, 7, 8]))
        journal.digests = [isDamaged ? damaged : right]
        try folder.write("file.part.json", journal.text)

        let result = try await download.run(with: Kernel())

        #expect(left > 128_000 && result.resumed == left && result.isVerified)
        #expect(try folder.read("file") == content)
    }

    @Test func `a journal has the hashes of all URLs, the digests so far, and no URL`() throws {
        var journal = Journal(
            url: Journal.key(of: "https://a.test/?token=secret"), boot: "boot",
            representation: Representation(validator: .entityTag("\"a\""), length: 9, coding: ""))
        journal.urls.insert(Journal.key(of: "https://b.test/"))
        journal.digests = [try #require(.init(.sha512, count: 1280, words: [0, 1, 2, 3, 4, 5, 6, .max]))]
        journal.announced = ExpectedDigest("sha-256", String(repeating: "ab", count: 32))
        journal.pieces = journal.announced
        journal.verified = ByteRanges(0..<4)

        let text = String(decoding: journal.text, as: UTF8.self)

        #expect(Journal(journal.text) == journal)
        #expect(!text.contains("test") && !text.contains("secret"))
        for (right, wrong) in [("1280", "1281"), ("\"sha-512\"", "\"md5\""), ("[0,1,", "[-1,1,")] {
            #expect(Journal(Array(text.replacingOccurrences(of: right, with: wrong).utf8)) == nil)
        }
    }

    @Test func `bytes are written while a flush runs, and count when it has ended`() async throws {
        let partial = try begin()
        let (isBegun, ends) = (Gate(), Gate())
        partial.flush = { _ in
            isBegun.open()
            return (try? ends.wait()) == nil ? -1 : 0
        }
        partial.syncInterval = 1000

        try write(partial, 0..<1000)
        try await isBegun.opened()
        for first in [1000, 2000] { try write(partial, first..<first + 1000) }
        let early = partial.journal?.synced
        ends.open()
        try await partial.synchronize()

        #expect(early == ByteRanges() && partial.count == 3000)
        #expect(partial.journal?.synced == ByteRanges(0..<3000))
    }

    // MARK: Pieces

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

    // MARK: Arrangement

    private func begin() throws -> PartialFile {
        let partial = try PartialFile(path)
        try partial.begin(
            Representation(validator: .entityTag("\"a\""), length: content.count, coding: ""), url: "url", name: nil)
        return partial
    }

    private func write(_ partial: PartialFile, _ range: Range<Int>) throws {
        if range.lowerBound > partial.received.prefix { try partial.allocate(content.count) }
        try content[range].withUnsafeBytes { _ = try partial.write($0, at: range.lowerBound) }
    }
}
