import Foundation
import Plugboard
import PlugboardSystem
import Synchronization
import TestSupport
import Testing

@testable import PlugboardDownloads

/// Files that are received in several parts at the same time.
struct SegmentedDownloadTests {
    let content = RangeServer.content(200_000)
    let folder: TemporaryFolder
    let path: String

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
        // The first response may be whole before the other representation is seen.
        #expect([content, parts.current(content)].contains(try folder.read("file")))
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

        // 200,000 bytes, of which 50,000 can be credit, and the last of a part is not waited for. With a limit for each
        // of four parts, all could be credit.
        #expect(time >= .milliseconds(150))
        #expect(try folder.read("file") == content)
    }

    // MARK: Arrangement

    func download(_ url: String) -> Download {
        var download = Download(Request(.get, url), to: path)
        download.segments = 4
        download.segmentMinimum = 5000
        download.segmentWindow = .milliseconds(1)
        return download
    }

    /// A server whose first response waits, with most of its bytes, until a gate has admitted so many.
    ///
    /// - Parameter gate: Nil for one that admits the requests with ranges.
    func waiting(for count: Int, at gate: Gate? = nil) throws -> LoopbackServer {
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
    func leave(
        _ bytes: [UInt8], of url: String, written: ByteRanges, synced: ByteRanges, _ isOtherStart: Bool
    ) throws {
        var journal = Journal(
            url: Request(.get, url).resourceKey, boot: isOtherStart ? "earlier" : bootID,
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
        takeUp(url: Request(.get, url).resourceKey, nil)
        return count
    }
}
