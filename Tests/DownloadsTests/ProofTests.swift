import Foundation
import Plugboard
import PlugboardRanges
import TestSupport
import Testing

@testable import PlugboardDownloads

/// Digests that go on where they were.
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

        /// Large, so that a piece takes less time to write than to digest, also without optimization.
        static let pieceSize = 8 << 20

        let count: Int

        nonisolated(nonsending) func send(_: Request) async throws(PlugboardError) -> Response {
            let piece = Bytes([UInt8](repeating: 1, count: FastSender.pieceSize))
            let pieces = AsyncThrowingStream<Bytes, any Error> { stream in
                for _ in 0..<count { stream.yield(piece) }
                stream.finish(throwing: PlugboardError(.transportReset, "The connection is gone."))
            }
            var head = ResponseHead(status: 200)
            head.fields = ["Content-Length": "\((count + 1) * FastSender.pieceSize)", "ETag": "\"a\""]
            return Response(head: head, body: .stream(pieces))
        }
    }

    @Test func `the journal of a fast transfer has the digest of nearly all bytes`() async throws {
        var download = Download(Request(.get, "http://a.test/"), to: path)
        download.digest = ExpectedDigest("sha-512", String(repeating: "0", count: 128))
        download.attempts = 1

        _ = try? await download.run(with: FastSender(count: 25))

        let journal = try #require(Journal(try folder.read("file.part.json")))
        // A writer that does not wait is ahead of the digest by more, unless the machine is busy.
        let digested = try #require(journal.digests.first).count
        #expect(25 * FastSender.pieceSize - digested < FileDigests.lead + 2 * FastSender.pieceSize)
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
            url: Request(.get, "https://a.test/?token=secret").resourceKey, boot: "boot",
            representation: Representation(validator: .entityTag("\"a\""), length: 9, coding: ""))
        journal.urls.insert(Request(.get, "https://b.test/").resourceKey)
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
