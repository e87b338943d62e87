import Foundation
import Plugboard
import PlugboardRanges
import TestSupport
import Testing

@testable import PlugboardDownloads

/// Bytes, journals and documents that are not what they seem to be.
struct SuspicionTests {
    // Made once: it takes a second in a debug build.
    private static let whole = RangeServer.content(3_000_000)
    private let content = SuspicionTests.whole
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("file")
    }

    private var digest: ExpectedDigest? { ExpectedDigest("sha-256", Bytes(content).sha256) }

    /// Changes a byte of a file, as another program would some time later.
    private func change(_ name: String, at offset: Int, after seconds: Double) throws {
        var bytes = try folder.read(name)
        bytes[offset] ^= 1
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file(name)))
        try file.write(contentsOf: bytes)
        try file.close()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: seconds)], ofItemAtPath: folder.file(name))
    }

    @Test(.timeLimit(.minutes(2)), arguments: [60.0, -60.0])
    func `a byte that another program has changed between two runs is found`(seconds: Double) async throws {
        let isBroken = Locked(true)
        let server = try RangeServer { [content] _, request in
            RangeServer.correct(request, content, cut: isBroken.withLock { $0 } ? 2_900_000 : nil)
        }
        var download = Download(Request(.get, server.url), to: path)
        download.digest = digest
        download.attempts = 1
        var hasDigest = false
        // Where the machine is slow, the break may come before the journal has a digest.
        while !hasDigest {
            for name in try folder.entries() { try FileManager.default.removeItem(atPath: folder.file(name)) }
            _ = try? await download.run(with: Kernel())
            hasDigest = try #require(Journal(try folder.read("file.part.json"))).digests.isEmpty == false
        }
        isBroken.withLock { $0 = false }
        try change("file.part", at: 1000, after: seconds)

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        #expect(error?.code == .downloadDigest)
        #expect(try folder.entries() == [])
    }

    @Test func `a piece that another program has changed between two runs is received again`() async throws {
        let pieces = try pieces(of: 100_000)
        let works = Locked(false)
        let server = try RangeServer { [content] number, request in
            number == 1 || works.withLock { $0 }
                ? RangeServer.correct(request, content, cut: number == 1 ? 1_500_000 : nil) : .init(503)
        }
        var download = Download(Request(.get, server.url), to: path)
        download.pieces = pieces
        download.attempts = 1
        _ = try? await download.run(with: Kernel())
        let journal = try folder.read("file.part.json")
        let verified = try #require(Journal(journal)).verified
        try change("file.part", at: 1000, after: 60)

        works.withLock { $0 = true }
        let result = try await download.run(with: Kernel())

        #expect(verified.contains(0..<100_000))
        #expect(result.isVerified)
        #expect(try folder.read("file") == content)
    }

    @Test func `what a process writes after its last mark is its own, and what comes later is not`() throws {
        func mark(_ changed: Int64, _ noted: Int64 = 1_000_000_000, inode: UInt64 = 7) -> FileMark {
            FileMark(inode: inode, changed: changed, noted: noted)
        }
        let saved = mark(1_000_000_000)

        #expect(saved.fits(saved))
        #expect(saved.fits(mark(3_000_000_000, 3_000_000_000)))
        #expect(!saved.fits(mark(3_000_000_001)))
        #expect(!saved.fits(mark(999_999_999)))
        // The time was set back after a change.
        #expect(!saved.fits(mark(1_000_000_000, 3_000_000_001)))
        #expect(!saved.fits(mark(1_000_000_000, inode: 8)))
        #expect(!mark(.min).fits(mark(.max)))
    }

    @Test func `a journal of many ranges and URLs keeps the largest and can be read`() throws {
        var journal = Journal(
            url: Request(.get, "https://a.test/").resourceKey, boot: "boot",
            representation: Representation(validator: .entityTag("\"a\""), length: 1 << 30, coding: ""))
        var written = ByteRanges()
        for number in 0..<3000 {
            let first = number * 1000
            written.insert(first..<first + (number.isMultiple(of: 3) ? 500 : 10))
        }
        journal.written = written
        for number in 0..<500 { journal.urls.insert(Request(.get, "https://\(number).test/").resourceKey) }

        let read = try #require(Journal(journal.text))

        #expect(read.written?.ranges.count == Journal.rangeLimit)
        #expect(read.written?.common(with: written) == read.written)
        #expect(read.written?.ranges.count { $0.count == 500 } == 1000)
        #expect(read.urls.contains(journal.url) && read.urls.count <= Journal.urlLimit + 1)
    }

    @Test func `a verification ends soon after it is cancelled`() async throws {
        // A file without blocks, which takes minutes to digest.
        let size = 64 << 30
        let made = try folder.write("bytes", [])
        truncate(made, off_t(size))
        let file = OpenFile(open(made, O_RDONLY), "bytes")
        let digests = FileDigests(file)
        digests.begin([.sha256], from: [])
        let known = try #require(digest)
        let whole = try #require(PieceHashes(length: size, size: size, digests: [known]))

        let ending = Task { () throws(PlugboardError) in try await digests.end(of: size) }
        let holding = Task { () throws(PlugboardError) in try await whole.holds(0, in: file) }
        for task in [ending.cancel, holding.cancel] { task() }
        let first = await #expect(throws: PlugboardError.self) { try await ending.value }
        let second = await #expect(throws: PlugboardError.self) { try await holding.value }

        #expect(first?.code == .cancelled && second?.code == .cancelled)
    }

    @Test func `a Metalink document of the largest size is an error or nothing, and no crash`() throws {
        let digests = [try #require(digest), try #require(digest)]

        let pieces = try #require(PieceHashes(length: .max - 1, size: .max, digests: digests))

        #expect(pieces.range(1) == .max - 1 ..< .max)
        #expect(pieces.range(0) == 0..<(.max - 1))
    }

    @Test(arguments: [2_900_000, 3_100_000])
    func `a file that is longer or shorter than its pieces does not appear`(count: Int) async throws {
        let other = RangeServer.content(count)
        let server = try RangeServer { _, request in RangeServer.correct(request, other) }
        var download = Download(Request(.get, server.url), to: path)
        download.pieces = try pieces(of: 100_000)

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        #expect(error?.code == .downloadDigest)
        #expect(try !folder.entries().contains("file"))
    }

    @Test func `a mirror with another file ends alone, and the bytes of others stay`() async throws {
        let gate = Gate()
        let mirror = try RangeServer { _, request in
            gate.admit()
            // It has changed since its first response: another length, and another validator.
            return RangeServer.correct(request, RangeServer.content(2_000_000, seed: 9), tag: "\"new\"")
        }
        let server = try LoopbackServer { [content] connection in
            let request = try connection.readRequest()
            let reply = RangeServer.correct(request, content)
            guard reply.status == 200 else { return try RangeServer.send(reply, connection) }
            let fields = reply.fields + [("Content-Length", "\(content.count)")]
            try connection.write(
                Array(ServerResponse(status: 200, fields: fields, body: "").head.utf8) + content[..<1_000_000])
            try connection.wait(for: gate)
            try connection.write(Array(content[1_000_000...]))
        }
        var download = Download(Request(.get, server.url()), to: path)
        download.digest = digest
        download.mirrors = [Request(.get, mirror.url)]
        download.segments = 2
        download.segmentMinimum = 100_000
        download.segmentWindow = .milliseconds(10)

        let result = try await download.run(with: Kernel())

        #expect(result.isVerified && !mirror.requests.isEmpty)
        #expect(try folder.read("file") == content)
        #expect(server.requests.count { $0["Range"] == nil } == 1)
    }

    private func pieces(of length: Int) throws -> PieceHashes {
        let digests = stride(from: 0, to: content.count, by: length).compactMap { first in
            ExpectedDigest("sha-256", Bytes(Array(content[first..<min(first + length, content.count)])).sha256)
        }
        return try #require(PieceHashes(length: length, size: content.count, digests: digests))
    }
}
