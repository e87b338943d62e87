import Foundation
import Plugboard
import Synchronization
import TestSupport
import Testing

@testable import PlugboardDownloads

/// Files that several servers have.
extension SegmentedDownloadTests {
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

    @Test(arguments: [true, false])
    func `a mirror whose parts do not have their length ends alone, and the bytes of others stay`(isLonger: Bool)
        async throws
    {
        let gate = Gate()
        let mirror = try RangeServer { [content] _, request in
            gate.admit()
            var reply = RangeServer.correct(request, content, tag: "\"m\"")
            reply.body = isLonger ? reply.body + [1] : Array(reply.body.dropLast(5000))
            reply.isChunked = true
            return reply
        }
        let server = try waiting(for: 1, at: gate)
        var download = download(server.url())
        download.mirrors = [Request(.get, mirror.url)]
        download.digest = ExpectedDigest("sha-256", Bytes(content).sha256)

        try await download.run(with: Kernel())

        #expect(try folder.read("file") == content)
        // The whole is requested once.
        #expect(server.requests.filter { $0["Range"] == nil }.count == 1 && !mirror.requests.isEmpty)
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
        // The first response breaks after 10,000 bytes, and there are no parts, so that the mirror must send the rest.
        let wholes = Mutex(0)
        let server = try LoopbackServer { [content] connection in
            let request = try connection.readRequest()
            guard request["Range"] == nil else { return try RangeServer.send(.init(503), connection) }
            let isFirst = wholes.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { return try RangeServer.send(RangeServer.correct(request, content), connection) }
            let fields = RangeServer.correct(request, content).fields + [("Content-Length", "200000")]
            try connection.write(
                Array(ServerResponse(status: 200, fields: fields, body: "").head.utf8) + content[..<99])
            try connection.wait(for: gate)
            try connection.write(Array(content[99..<10_000]))
        }
        var download = download(server.url())
        download.mirrors = [Request(.get, mirror.url)]
        download.digest = ExpectedDigest("sha-256", Bytes(content).sha256)

        try await download.run(with: Kernel())

        #expect(!mirror.requests.isEmpty)
        #expect(try folder.read("file") == content)
        #expect(try folder.entries() == ["file"])
    }

    @Test(arguments: [true, false])
    func `a mirror without a length does not replace bytes that can be continued`(isStrong: Bool) async throws {
        let mirror = try RangeServer { _, _ in
            var reply = RangeServer.Reply(200, [], RangeServer.content(500, seed: 3))
            reply.isChunked = true
            return reply
        }
        let server = try RangeServer { [content] number, request in
            let reply = RangeServer.correct(request, content, tag: isStrong ? "\"a\"" : "W/\"a\"", cut: 70_000)
            return number == 1 ? reply : .init(503)
        }
        var download = Download(Request(.get, server.url), to: path)
        download.mirrors = [Request(.get, mirror.url)]
        download.trustsMirrors = true
        download.attempts = 2

        let result = try? await download.run(with: Kernel())

        #expect(mirror.requests.count >= 1)
        // Bytes that nothing can continue are replaced.
        #expect((result == nil) == isStrong)
        if isStrong { #expect(try folder.read("file.part").count == 70_000) }
    }

    @Test func `bytes of a mirror are continued when it is named as another mirror`() async throws {
        let first = try RangeServer { [content] number, request in
            RangeServer.correct(request, content, tag: "\"1\"", cut: number == 1 ? 70_000 : nil)
        }
        let second = try RangeServer { [content] _, request in RangeServer.correct(request, content, tag: "\"2\"") }
        var download = Download(Request(.get, first.url), to: path)
        download.digest = ExpectedDigest("sha-256", Bytes(content).sha256)
        download.attempts = 1
        _ = try? await download.run(with: Kernel())
        var other = Download(Request(.get, second.url), to: path)
        other.mirrors = [Request(.get, first.url)]
        other.digest = download.digest

        let result = try await other.run(with: Kernel())

        #expect(result.resumed == 70_000)
        #expect(try folder.read("file") == content)
        #expect(second.requests.map { $0["Range"] } == ["bytes=70000-"])
        #expect(second.requests.first?["If-Range"] == nil)
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
        let key = Request(.get, server.url).resourceKey
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
}
