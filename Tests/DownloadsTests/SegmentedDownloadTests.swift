import Foundation
import Plugboard
import Synchronization
import TestSupport
import Testing

@testable import PlugboardDownloads

/// Files that are received in several parts at the same time.
struct SegmentedDownloadTests {
    private let content = RangeServer.content(200_000)
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("file")
    }

    @Test func `the parts of a file are received at the same time, under one validator`() async throws {
        let server = try waiting(for: 3)

        let result = try await download(server.url()).run(with: Kernel())

        #expect(try folder.read("file") == content)
        #expect(try folder.entries() == ["file"])
        #expect(result.isComplete && result.count == 200_000)
        let ranges = server.requests.filter { $0["Range"] != nil }
        #expect(server.requests.count >= 4 && ranges.count == server.requests.count - 1)
        #expect(ranges.allSatisfy { $0["If-Range"] == "\"a\"" })
    }

    @Test func `after a kill, only what the journal does not list is requested`() async throws {
        let server = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        var there = ByteRanges(0..<1000)
        there.insert(50_000..<60_000)
        var bytes = [UInt8](repeating: 0, count: 200_000)
        for range in there.ranges { bytes[range] = content[range] }
        for isOtherStart in [false, true] {
            try leave(bytes, of: server.url, written: there, synced: isOtherStart ? there : ByteRanges(), isOtherStart)

            let result = try await Download(Request(.get, server.url), to: path).run(with: Kernel())

            #expect(result.resumed == 11_000)
            #expect(try folder.read("file") == content)
        }
        #expect(server.requests.compactMap { $0["Range"]?.hasPrefix("bytes=1000-49999") }.count { $0 } == 2)
        #expect(server.requests.compactMap { $0["Range"]?.hasPrefix("bytes=60000-") }.count { $0 } == 2)
        #expect(server.requests.count == 4)
    }

    @Test func `after another start of the system, a file with its whole length has only what was synchronized`()
        async throws
    {
        let server = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        var bytes = [UInt8](repeating: 0, count: 200_000)
        bytes[..<500] = content[..<500]
        try leave(bytes, of: server.url, written: ByteRanges(0..<90_000), synced: ByteRanges(0..<500), true)

        let result = try await Download(Request(.get, server.url), to: path).run(with: Kernel())

        #expect(result.resumed == 500)
        #expect(try folder.read("file") == content)
    }

    @Test(arguments: BrokenParts.allCases)
    func `whatever a server sends as parts, the file is right`(parts: BrokenParts) async throws {
        let server = try parts.server(content)
        var download = download(server.url())
        download.delay = .milliseconds(1)

        var isComplete = false
        for _ in 0..<6 where !isComplete {
            isComplete = (try? await download.run(with: Kernel()))?.isComplete ?? false
            if !isComplete { #expect(!FileManager.default.fileExists(atPath: path)) }
        }

        #expect(isComplete)
        #expect(try folder.read("file") == parts.current(content))
        #expect(server.requests.contains { $0["Range"] != nil })
    }

    @Test func `a server that does not offer ranges is asked once`() async throws {
        let server = try RangeServer { [content] _, _ in .init(200, [("ETag", "\"a\"")], content) }

        try await download(server.url).run(with: Kernel())

        #expect(try folder.read("file") == content)
        #expect(server.requests.count == 1)
    }

    @Test func `a file without a strong validator is not divided`() async throws {
        let server = try RangeServer { [content] _, _ in
            .init(200, [("ETag", "W/\"a\""), ("Accept-Ranges", "bytes")], content)
        }

        try await download(server.url).run(with: Kernel())

        #expect(try folder.read("file") == content)
        #expect(server.requests.count == 1)
    }

    // MARK: Mirrors

    @Test func `mirrors take part at the same time where a digest tells that they are the same`() async throws {
        let gate = Gate()
        let mirror = try RangeServer { [content] _, request in
            gate.admit()
            return RangeServer.correct(request, content, tag: "\"m\"")
        }
        let server = try waiting(for: 1, at: gate)
        var download = download(server.url())
        download.mirrors = [Request(.get, mirror.url)]
        download.digest = ExpectedDigest("sha-256", Bytes(content).sha256)

        try await download.run(with: Kernel())

        #expect(try folder.read("file") == content)
        #expect(!mirror.requests.isEmpty && mirror.requests.allSatisfy { $0["Range"] != nil })
        // The validator of one server says nothing to another.
        #expect(mirror.requests.first?["If-Range"] == nil)
        #expect(mirror.requests.dropFirst().allSatisfy { $0["If-Range"] == "\"m\"" || $0["If-Range"] == nil })
    }

    @Test func `without a digest, mirrors do not take part at the same time`() async throws {
        let mirror = try RangeServer { [content] _, request in RangeServer.correct(request, content, tag: "\"m\"") }
        let server = try waiting(for: 1)
        var download = download(server.url())
        download.mirrors = [Request(.get, mirror.url)]

        try await download.run(with: Kernel())

        #expect(try folder.read("file") == content)
        #expect(mirror.requests.isEmpty)
    }

    @Test func `a mirror with another file is found out by the digest, and nothing is put in place`() async throws {
        let other = RangeServer.content(200_000, seed: 8)
        let gate = Gate()
        let mirror = try RangeServer { _, request in
            gate.admit()
            return RangeServer.correct(request, other, tag: "\"m\"")
        }
        // It breaks after 10,000 bytes and sends no other part, so that the mirror must.
        let server = try LoopbackServer { [content] connection in
            let request = try connection.readRequest()
            guard request["Range"] == nil else { return try RangeServer.send(.init(503), connection) }
            let fields = RangeServer.correct(request, content).fields + [("Content-Length", "200000")]
            try connection.write(
                Array(ServerResponse(status: 200, fields: fields, body: "").head.utf8) + content[..<99])
            try connection.wait(for: gate)
            try connection.write(Array(content[99..<10_000]))
        }
        var download = download(server.url())
        download.mirrors = [Request(.get, mirror.url)]
        download.digest = ExpectedDigest("sha-256", Bytes(content).sha256)

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        #expect(error?.code == .downloadDigest)
        #expect(try folder.entries() == [])
    }

    @Test func `a mirror is used when a server fails, and goes on with its bytes where a digest allows it`()
        async throws
    {
        let broken = try RangeServer { [content] number, request in
            number == 1 ? RangeServer.correct(request, content, cut: 50_000) : .init(503)
        }
        let mirror = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        var download = Download(Request(.get, broken.url), to: path)
        download.mirrors = [Request(.get, mirror.url)]
        download.digest = ExpectedDigest("sha-256", Bytes(content).sha256)

        let result = try await download.run(with: Kernel())

        #expect(result.resumed == 50_000)
        #expect(try folder.read("file") == content)
        #expect(mirror.requests.map { $0["Range"] } == ["bytes=50000-"])
    }

    @Test func `a limit of the speed is one for all parts`() async throws {
        let server = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        var download = download(server.url)
        download.speed = .bytes(500_000)

        let time = try await ContinuousClock().measure { try await download.run(with: Kernel()) }

        // 200,000 bytes, of which 50,000 can be credit.
        #expect(time >= .milliseconds(250))
        #expect(try folder.read("file") == content)
    }

    // MARK: Arrangement

    private func download(_ url: String) -> Download {
        var download = Download(Request(.get, url), to: path)
        download.segments = 4
        download.segmentMinimum = 5000
        download.segmentWindow = .milliseconds(1)
        return download
    }

    /// A server whose first response waits, with most of its bytes, until a gate has admitted so many.
    ///
    /// - Parameter gate: Nil for one that admits the requests with ranges.
    private func waiting(for count: Int, at gate: Gate? = nil) throws -> LoopbackServer {
        let own = Gate()
        return try LoopbackServer { [content] connection in
            let request = try connection.readRequest()
            let reply = RangeServer.correct(request, content)
            guard reply.status == 200 else {
                own.admit()
                return try RangeServer.send(reply, connection)
            }
            let length = ("Content-Length", "\(content.count)")
            let head = ServerResponse(status: 200, fields: reply.fields + [length], body: "").head
            try connection.write(Array(head.utf8) + content[..<1000])
            try connection.wait(for: gate ?? own, count: count)
            try connection.write(Array(content[1000...]))
        }
    }

    /// What a download in several parts has left that was killed.
    private func leave(
        _ bytes: [UInt8], of url: String, written: ByteRanges, synced: ByteRanges, _ isOtherStart: Bool
    ) throws {
        var journal = Journal(
            url: Journal.key(of: url), boot: isOtherStart ? "earlier" : PartialFile.boot,
            representation: .init(validator: .entityTag("\"a\""), length: 200_000, coding: ""))
        journal.written = written
        journal.synced = synced
        try folder.write("file.part", bytes)
        try folder.write("file.part.json", journal.text)
    }
}
