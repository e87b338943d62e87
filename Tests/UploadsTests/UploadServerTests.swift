import Foundation
import Plugboard
import Synchronization
import TestSupport
import Testing

@testable import PlugboardUploads

/// Servers that know no resumable uploads, or that know them in their own way.
extension UploadTests {
    private func stream(_ content: [UInt8], length: Int? = nil) -> UploadContent {
        let stream = AsyncStream<Bytes> { input in
            for start in stride(from: 0, to: content.count, by: 100_000) {
                input.yield(Bytes(Array(content[start..<min(start + 100_000, content.count)])))
            }
            input.finish()
        }
        return .stream(.stream(stream, length: length))
    }

    private func plainServer() throws -> LoopbackServer {
        try LoopbackServer.responding { request in
            if request.method == "OPTIONS" { return ServerResponse(status: 405) }
            return ServerResponse(status: 201, fields: [("Location", "/files/1")])
        }
    }

    @Test(arguments: ["file", "bytes", "stream", "stream of known length"])
    func `a server that is not known to take parts gets everything in one request`(kind: String) async throws {
        let server = try plainServer()
        let large = RangeServer.content(kind.hasPrefix("stream") ? 5_000_000 : 100_000)
        var upload = Upload(Request(.put, server.url("/x")), .file(file))
        if kind == "bytes" { upload.content = .bytes(Bytes(large)) }
        if kind.hasPrefix("stream") { upload.content = stream(large, length: kind == "stream" ? nil : large.count) }
        upload.partSize = .bytes(30_000)

        let result = try await upload.run(with: Kernel())

        #expect(result.count == large.count)
        #expect(server.requests.map(\.method) == ["OPTIONS", "PUT"])
        #expect(server.requests.last?.body == large)
    }

    @Test func `a server that announces the draft gets parts`() async throws {
        var plan = UploadServer.Plan(.draft)
        plan.tellsLimits = true
        let server = try UploadServer(plan)
        var upload = upload(server, .automatic)
        upload.partSize = .bytes(60_000)

        try await upload.run(with: Kernel())

        #expect(server.contents == [content])
        #expect(
            server.requestLines == [
                "OPTIONS /files", "PUT /files", "PATCH /uploads/0 0", "PATCH /uploads/0 60000",
            ])
        #expect(server.requests[1]["Content-Length"] == "0")
    }

    @Test func `the length of a stream is told to a server of tus once`() async throws {
        var plan = UploadServer.Plan(.tus)
        plan.cuts = [nil, 10_000]
        let server = try UploadServer(plan)
        var upload = upload(server, .tus)
        upload.content = stream(content)
        upload.partSize = .bytes(60_000)

        try await upload.run(with: Kernel())

        #expect(server.contents == [content])
        #expect(server.requests.first?["Upload-Defer-Length"] == "1")
        #expect(server.requests.last?["Upload-Length"] == "100000")
    }

    @Test(arguments: dialects)
    func `a server that still holds the last connection's lock is asked again`(dialect: Dialect) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.cuts = [40_000]
        plan.override = { number, _ in [3, 4].contains(number) ? ServerResponse(status: 423) : nil }
        let server = try UploadServer(plan)

        try await upload(server, resumption(dialect)).run(with: Kernel())

        #expect(server.contents == [content])
        #expect(server.requests.filter { $0.method == "PUT" || $0.method == "POST" }.count == 1)
    }

    @Test func `the plugin retry does not send content again that the upload goes on with`() async throws {
        var plan = UploadServer.Plan(.draft)
        plan.cuts = [50_000]
        let server = try UploadServer(plan)
        let kernel = try Kernel(plugins: [.retry { $0.delay = .milliseconds(1) }, .redirect])

        try await upload(server, .automatic).run(with: kernel)

        #expect(server.contents == [content])
        #expect(server.requestLines == ["OPTIONS /files", "PUT /files", "HEAD /uploads/0", "PATCH /uploads/0 50000"])
    }

    @Test func `an upload that is redirected to another origin arrives there`() async throws {
        let server = try UploadServer(.draft)
        let redirecting = try LoopbackServer.responding { request in
            if request.method == "OPTIONS" { return ServerResponse(status: 405) }
            return ServerResponse(status: 307, fields: [("Location", server.url("/other"))])
        }
        let kernel = try Kernel(plugins: [.redirect])
        var upload = upload(server, .automatic)
        upload.request.url = redirecting.url("/x")

        try await upload.run(with: kernel)

        #expect(server.contents == [content])
        #expect(server.requestLines == ["PUT /other"])
        #expect(try folder.entries() == ["file"])
    }

    @Test func `an announcement after a redirect is resolved against the URL that has sent it`() async throws {
        var plan = UploadServer.Plan(.draft)
        plan.cuts = [50_000]
        let server = try UploadServer(plan)
        let redirecting = try LoopbackServer.responding { request in
            if request.method == "OPTIONS" { return ServerResponse(status: 405) }
            return ServerResponse(status: 307, fields: [("Location", server.url("/other"))])
        }
        var upload = upload(server, .automatic)
        upload.request.url = redirecting.url("/x")
        upload.allowsOtherOrigins = true

        try await upload.run(with: Kernel(plugins: [.redirect]))

        #expect(server.contents == [content])
        #expect(server.requestLines == ["PUT /other", "HEAD /uploads/0", "PATCH /uploads/0 50000"])
    }

    @Test func `an announcement of another version of the draft is not followed`() async throws {
        var plan = UploadServer.Plan(.draft)
        plan.cuts = [50_000]
        plan.announcedVersion = "5"
        let server = try UploadServer(plan)

        let result = try await upload(server, .automatic).run(with: Kernel())

        #expect(result.isComplete)
        #expect(server.requestLines == ["OPTIONS /files", "PUT /files", "PUT /files"])
    }

    @Test(arguments: [Method.post, .put])
    func `an upload that the server may have completed is not carried out twice by POST`(method: Method) async throws {
        var plan = UploadServer.Plan(.draft)
        plan.losesResponse = [1]
        plan.forgetsBefore = [3]
        let server = try UploadServer(plan)
        var upload = upload(server, .draft)
        upload.request.method = method

        let result = try await upload.sent(with: Kernel())

        #expect(result.isComplete == (method == .put))
        #expect(server.contents.count == (method == .put ? 2 : 1))
        #expect(try folder.entries() == ["file"])
    }

    @Test(arguments: dialects)
    func `what no other run can continue is removed from the server`(dialect: Dialect) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.cuts = [100_000]
        let server = try UploadServer(plan)
        var upload = upload(server, resumption(dialect))
        // More than the buffers of the connection hold.
        upload.content = .bytes(Bytes([UInt8](repeating: 7, count: 24_000_000)))
        upload.attempts = 1

        await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }

        #expect(server.cancelledCount == 1 && server.partial.isEmpty)
    }

    @Test(arguments: dialects)
    func `a server cannot have bytes in memory that were not sent`(dialect: Dialect) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.cuts = [100_000]
        plan.override = { _, request in
            guard request.method == "HEAD" else { return nil }
            return ServerResponse(status: 200, fields: [("Upload-Offset", "24000000"), ("Upload-Complete", "?1")])
        }
        let server = try UploadServer(plan)
        var upload = upload(server, resumption(dialect))
        upload.content = .bytes(Bytes([UInt8](repeating: 7, count: 24_000_000)))

        let error = await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }

        #expect(error?.code == .uploadOffset)
    }

    @Test func `a stream in one request is counted whole`() async throws {
        let server = try plainServer()
        let large = RangeServer.content(3_000_000)
        var upload = Upload(Request(.put, server.url("/x")), stream(large))
        upload.resumption = .none
        let last = Mutex<TransferProgress?>(nil)
        upload.progress = { progress in last.withLock { $0 = progress } }

        let result = try await upload.run(with: Kernel())

        #expect(result.count == 3_000_000)
        #expect(last.withLock { $0 } == TransferProgress(sent: 3_000_000, toSend: 3_000_000, resumed: 0))
    }

    @Test func `a server that breaks the question for its protocol gets the content`() async throws {
        let server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            if request.method == "OPTIONS" { return connection.reset() }
            try connection.respond(status: 201)
        }
        var upload = Upload(Request(.put, server.url("/x")), .file(file))
        upload.delay = .milliseconds(1)

        try await upload.run(with: Kernel())

        #expect(server.requests.last?.body == content)
    }

    @Test(arguments: [("0", true), ("3600", false)])
    func `a server that asks to wait too long ends the attempts`(wait: String, isComplete: Bool) async throws {
        var plan = UploadServer.Plan(.tus)
        plan.override = { number, _ in
            number == 2 ? ServerResponse(status: 503, fields: [("Retry-After", wait)]) : nil
        }
        let server = try UploadServer(plan)

        let result = try await upload(server, .tus).sent(with: Kernel())

        #expect(result.isComplete == isComplete && server.requests.count == (isComplete ? 4 : 2))
    }

    @Test func `a server that accepts no bytes, and a URL without a host, are errors`() async throws {
        var plan = UploadServer.Plan(.draft)
        plan.creationFields = [("Upload-Limit", "max-append-size=0")]
        let server = try UploadServer(plan)
        var relative = upload(server, .draft)
        relative.request.url = "files/x"

        let none = await #expect(throws: PlugboardError.self) { try await upload(server, .draft).run(with: Kernel()) }
        let refused = await #expect(throws: PlugboardError.self) { try await relative.run(with: Kernel()) }

        #expect(none?.code == .uploadLimit && refused?.code == .requestURL)
    }
}
