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

    @Test func `after the digest has shown that a mirror has another file, each server is used alone`() async throws {
        let other = RangeServer.content(200_000, seed: 8)
        let gate = Gate()
        let mirror = try RangeServer { _, request in
            gate.admit()
            return RangeServer.correct(request, other, tag: "\"m\"")
        }
        let server = try waiting(for: 1, at: gate)
        var download = download(server.url())
        download.mirrors = [Request(.get, mirror.url)]
        download.digest = ExpectedDigest("sha-256", Bytes(content).sha256)

        try await download.run(with: Kernel())

        #expect(!mirror.requests.isEmpty)
        #expect(try folder.read("file") == content)
        #expect(try folder.entries() == ["file"])
    }

    @Test func `a mirror that cannot be reached does not end the others`() async throws {
        // It does not speak TLS.
        let mirror = try LoopbackServer { connection in try connection.write(Array("no TLS\r\n\r\n".utf8)) }
        let server = try waiting(for: 2)
        var download = download(server.url())
        download.mirrors = [Request(.get, mirror.url().replacingOccurrences(of: "http:", with: "https:"))]
        download.digest = ExpectedDigest("sha-256", Bytes(content).sha256)

        try await download.run(with: Kernel())

        #expect(try folder.read("file") == content)
    }

    @Test func `bytes of several servers need the digest also in another process`() async throws {
        let mirror = try RangeServer { [content] _, request in
            RangeServer.correct(request, content, tag: "\"m\"", cut: 20_000)
        }
        let server = try RangeServer { [content] number, request in
            number == 1 ? RangeServer.correct(request, content, cut: 50_000) : .init(503)
        }
        var download = Download(Request(.get, server.url), to: path)
        download.mirrors = [Request(.get, mirror.url)]
        download.digest = ExpectedDigest("sha-256", Bytes(content).sha256)
        download.attempts = 1
        await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        let partial = try PartialFile(path)
        let key = Journal.key(of: server.url)
        let counts = [nil, .trusted, ExpectedDigest("sha-256", Bytes([1]).sha256).map { .verified($0) }, nil].map {
            (combination: Journal.Combination?) in
            partial.takeUp(url: key, combination)
            return partial.count
        }
        partial.takeUp(url: key, download.digest.map { .verified($0) })

        #expect(counts == [0, 0, 0, 0])
        #expect(partial.count == 70_000)
    }

    @Test func `a mirror is used when a server fails, and goes on with its bytes where a digest allows it`()
        async throws
    {
        let broken = try RangeServer { [content] number, request in
            number == 1 ? RangeServer.correct(request, content, cut: 50_000) : .init(503)
        }
        let mirror = try RangeServer { [content] _, request in RangeServer.correct(request, content, tag: "\"m\"") }
        var download = Download(Request(.get, broken.url), to: path)
        download.mirrors = [Request(.get, mirror.url)]
        download.digest = ExpectedDigest("sha-256", Bytes(content).sha256)

        let result = try await download.run(with: Kernel())

        #expect(result.resumed == 50_000)
        #expect(try folder.read("file") == content)
        #expect(mirror.requests.map { $0["Range"] } == ["bytes=50000-"])
        #expect(mirror.requests.first?["If-Range"] == nil)
    }

    @Test(arguments: [200, 206])
    func `what a mirror of another length sends does not remove what is there`(status: Int) async throws {
        let broken = try RangeServer { [content] number, request in
            number == 1 ? RangeServer.correct(request, content, cut: 50_000) : .init(503)
        }
        let mirror = try RangeServer { [content] _, _ in
            status == 200
                ? .init(200, [], Array("Log in".utf8))
                : .init(206, [("ETag", "\"m\""), ("Content-Range", "bytes 50000-50009/50010")], Array(content[..<10]))
        }
        var download = Download(Request(.get, broken.url), to: path)
        download.mirrors = [Request(.get, mirror.url)]
        download.digest = ExpectedDigest("sha-256", Bytes(content).sha256)
        download.size = .bytes(200_000)

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        #expect(error?.code == .downloadDigest)
        #expect(try folder.read("file.part") == Array(content[..<50_000]))
    }

    @Test func `a mirror does not take up what this call has not received`() async throws {
        let server = try RangeServer { _, _ in .init(503) }
        let mirror = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        try leave(Array(content[..<500]), of: server.url, written: ByteRanges(0..<500), synced: ByteRanges(), false)
        var download = Download(Request(.get, server.url), to: path)
        download.mirrors = [Request(.get, mirror.url)]
        download.trustsMirrors = true
        download.resumes = false

        try await download.run(with: Kernel())

        #expect(mirror.requests.map { $0["Range"] } == [nil])
        #expect(try folder.read("file") == content)
    }

    @Test func `a server whose parts do not have their length leaves nothing to continue with`() async throws {
        let gate = Gate()
        let server = try LoopbackServer { [content] connection in
            let request = try connection.readRequest()
            if let (first, last) = RangeServer.range(of: request) {
                let end = last.map { $0 + 1 } ?? content.count
                let fields = [("ETag", "\"a\""), ("Content-Range", "bytes \(first)-\(end - 1)/\(content.count)")]
                var reply = RangeServer.Reply(206, fields, Array(content[first..<end - 3]))
                reply.isChunked = true
                gate.admit()
                return try RangeServer.send(reply, connection)
            }
            guard request.connection == 1 else { return }
            let fields = [("ETag", "\"a\""), ("Accept-Ranges", "bytes"), ("Content-Length", "\(content.count)")]
            let head = ServerResponse(status: 200, fields: fields, body: "").head
            try connection.write(Array(head.utf8) + content[..<1000])
            try connection.wait(for: gate)
            // The response stays open.
            _ = try? connection.readRequest()
        }
        var download = download(server.url())
        download.attempts = 1

        await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        #expect(try PartialFile(path).taken(of: server.url()) == 0)
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

extension PartialFile {
    /// How many bytes a download of this URL, in another process, would continue.
    fileprivate func taken(of url: String) -> Int {
        takeUp(url: Journal.key(of: url), nil)
        return count
    }
}
