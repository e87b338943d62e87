import Foundation
import Plugboard
import Synchronization
import TestSupport
import Testing

@testable import PlugboardUploads

/// What the requests of uploads have, and when they are sent.
extension UploadTests {
    // MARK: Requests

    @Test func `credentials are not sent to another origin that the server names`() async throws {
        let other = try UploadServer(.tus)
        var plan = UploadServer.Plan(.tus)
        plan.base = other.url("")
        let server = try UploadServer(plan)
        var upload = upload(server, .tus)
        upload.request.fields[.authorization] = "Bearer geheim"
        upload.request.fields["X-Trace"] = "7"

        let refused = await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }
        #expect(refused?.code == .uploadProtocol && other.requests.isEmpty)
        upload.allowsOtherOrigins = true
        let allowed = await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }

        #expect(allowed?.code == .responseStatus)
        #expect(server.requests.first?["Authorization"] == "Bearer geheim")
        let strange = try #require(other.requests.first)
        #expect(strange["Authorization"] == nil && strange["X-Trace"] == "7")
    }

    @Test(arguments: ["Upload-Offset", "Tus-Resumable", "Content-Length", "Content-Range"])
    func `fields of the protocol are not the caller's`(name: String) async throws {
        let server = try UploadServer(.tus)
        var upload = upload(server, .tus)
        upload.request.fields[FieldName(name)] = "1"

        let error = await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }

        #expect(error?.code == .requestField && server.requests.isEmpty)
    }

    @Test func `limits of the server are kept`() async throws {
        var plan = UploadServer.Plan(.draft)
        plan.creationFields = [("Upload-Limit", "max-size=200000, max-append-size=30000;a=b, expires=60")]
        let server = try UploadServer(plan)
        plan.creationFields = [("Upload-Limit", "max-size=99999")]
        let small = try UploadServer(plan)

        try await upload(server, .draft).run(with: Kernel())
        let error = await #expect(throws: PlugboardError.self) { try await upload(small, .draft).run(with: Kernel()) }

        #expect(server.contents == [content])
        let offsets = server.requests.compactMap { $0["Upload-Offset"] }
        #expect(offsets == ["0", "30000", "60000", "90000"])
        #expect(error?.code == .uploadLimit && small.contents.isEmpty)
    }

    @Test func `a small content is sent with the creation, where the server of tus accepts that`() async throws {
        var plan = UploadServer.Plan(.tus)
        plan.extensions = "creation, creation-with-upload"
        let server = try UploadServer(plan)
        plan.cuts = [40_000]
        let breaking = try UploadServer(plan)

        let result = try await upload(server, .automatic).run(with: Kernel())
        try await upload(breaking, .automatic).run(with: Kernel())

        #expect(result.count == 100_000 && server.contents == [content])
        #expect(server.requestLines == ["OPTIONS /files", "POST /files"])
        // Nothing was told of the upload that broke.
        #expect(breaking.contents == [content])
        #expect(breaking.requestLines == ["OPTIONS /files", "POST /files", "POST /files"])
        #expect(try folder.entries() == ["file"])
    }

    @Test func `the content of a POST goes after its creation, whose repetition would leave two uploads`() async throws
    {
        var plan = UploadServer.Plan(.tus)
        plan.extensions = "creation, creation-with-upload"
        plan.losesResponse = [1]
        let server = try UploadServer(plan)
        var upload = upload(server, .automatic)
        upload.request.method = .post

        try await upload.run(with: Kernel())

        #expect(server.contents == [content])
        #expect(server.requestLines.filter { $0 == "POST /files" }.count == 1)
    }

    @Test(arguments: [nil, "sha1,md5"])
    func `a checksum that the server does not verify is not sent`(checksums: String?) async throws {
        var plan = UploadServer.Plan(.tus)
        plan.extensions = "creation,checksum"
        plan.checksums = checksums
        let server = try UploadServer(plan)
        var upload = upload(server, .tus)
        upload.checksum = true

        let error = await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }

        #expect(error?.code == .uploadProtocol && server.requestLines == ["OPTIONS /files"])
    }

    @Test func `metadata and digests are sent as tus wants them`() async throws {
        var plan = UploadServer.Plan(.tus)
        plan.extensions = "creation,checksum"
        plan.checksums = "md5, sha256"
        let server = try UploadServer(plan)
        var upload = upload(server, .tus)
        upload.metadata = ["filename": "Grüße.txt", "flag": ""]
        upload.checksum = true

        try await upload.run(with: Kernel())

        #expect(server.contents == [content])
        #expect(server.requests[1]["Upload-Metadata"] == "filename R3LDvMOfZS50eHQ=,flag")
        let digest = try #require(server.requests.last?["Upload-Checksum"])
        let bytes = try #require(Base64.decode(String(digest.dropFirst(7))))
        let text = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(digest.hasPrefix("sha256 ") && text == Bytes(content).sha256)
    }

    @Test(arguments: [Upload.Resumption.none, .draft, .automatic, .tus], [nil, 30_000])
    func `the server verifies what it gets, in whatever parts`(
        resumption: Upload.Resumption, partSize: Int?
    ) async throws {
        var plan = UploadServer.Plan(resumption == .tus ? .tus : resumption == .none ? .none : .draft)
        plan.extensions = "creation,checksum"
        plan.checksums = "sha256"
        let server = try UploadServer(plan)
        var upload = upload(server, resumption)
        upload.checksum = true
        upload.partSize = partSize.map { .bytes($0) }
        let isInParts = partSize != nil && (resumption == .draft || resumption == .tus)

        try await upload.run(with: Kernel())

        #expect(server.contents == [content])
        let each = resumption == .tus ? "Upload-Checksum" : "Content-Digest"
        // The creation of the draft has no content.
        let count = (isInParts ? 4 : 1) + (resumption == .draft ? 1 : 0)
        #expect(server.verified.filter { $0 == each }.count >= (isInParts ? 4 : 1))
        #expect(server.verified.filter { $0 == each }.count <= count)
        #expect(server.verified.contains("Repr-Digest") == (resumption != .tus))
    }

    @Test(arguments: [Upload.Resumption.none, .draft])
    func `a digest of the caller stays, and a server that finds other bytes refuses them`(
        resumption: Upload.Resumption
    ) async throws {
        let server = try UploadServer(resumption == .none ? .none : .draft)
        var upload = upload(server, resumption)
        upload.checksum = true
        upload.request.fields["Repr-Digest"] = "sha-256=:AAAA:"

        let error = await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }

        #expect(error?.response?.status == 400 && server.contents.isEmpty)
    }

    @Test func `a creation without content has no Content-Digest of the caller's`() async throws {
        let server = try UploadServer(.draft)
        var upload = upload(server, .draft)
        upload.request.fields["Content-Digest"] = "sha-256=:AAAA:"

        try await upload.run(with: Kernel())

        #expect(server.contents == [content])
        #expect(server.requests.allSatisfy { $0["Content-Digest"] == nil })
    }

    @Test(arguments: [Upload.Resumption.none, .draft])
    func `a stream in parts has digests of them, and one that cannot be read twice is refused`(
        resumption: Upload.Resumption
    ) async throws {
        let server = try UploadServer(resumption == .none ? .none : .draft)
        let content = content
        let stream = AsyncStream<Bytes> { input in
            input.yield(Bytes(content))
            input.finish()
        }
        var upload = Upload(Request(.put, server.url()), .stream(.stream(stream, length: content.count)))
        upload.resumption = resumption
        upload.partSize = .bytes(30_000)
        upload.checksum = true

        guard resumption == .none else {
            try await upload.run(with: Kernel())
            #expect(server.contents == [content])
            #expect(server.verified.filter { $0 == "Content-Digest" }.count == 4)
            return
        }
        let error = await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }
        #expect(error?.code == .bodyRead && server.requests.isEmpty)
    }

    @Test(arguments: dialects)
    func `progress has totals, and comes at most ten times a second`(dialect: Dialect) async throws {
        let large = RangeServer.content(1_000_000)
        try folder.write("file", large)
        var plan = UploadServer.Plan(dialect)
        plan.cuts = [300_000]
        let server = try UploadServer(plan)
        var upload = upload(server, resumption(dialect))
        let box = Heard()
        upload.progress = { box.add($0) }
        let began = ContinuousClock.now

        try await upload.run(with: Kernel())

        let seconds = (ContinuousClock.now - began) / .seconds(1)
        #expect(server.contents == [large])
        #expect(box.all.last == TransferProgress(sent: 1_000_000, toSend: 1_000_000, resumed: 0))
        #expect(box.all.allSatisfy { $0.toSend == 1_000_000 && $0.sent <= 1_000_000 })
        #expect(box.all.count >= 1 && Double(box.all.count) <= seconds * 10 + 2)
    }

    private final class Heard: Sendable {
        private let list = Mutex<[TransferProgress]>([])
        var all: [TransferProgress] { list.withLock { $0 } }
        func add(_ progress: TransferProgress) { list.withLock { $0.append(progress) } }
    }

    // MARK: Expect

    @Test(arguments: ["100", "417", "final", "nothing"])
    func `a large body waits until the server wants it`(reply: String) async throws {
        let large = RangeServer.content(1_100_000)
        try folder.write("file", large)
        let received = Heard100()
        let server = try LoopbackServer { connection in
            while true {
                let request = try connection.readHead()
                let expects = request["Expect"] != nil
                if expects, reply == "417" {
                    try connection.respond(status: 417)
                    throw ReceivedRequestError.closed
                }
                if expects, reply == "final" {
                    try connection.respond(status: 413)
                    return try connection.waitForClose()
                }
                if expects, reply == "100" { try connection.write("HTTP/1.1 100 Continue\r\n\r\n") }
                received.set(try connection.readBytes(Int(request["Content-Length"] ?? "") ?? 0))
                try connection.respond(status: 201)
            }
        }
        var upload = Upload(Request(.put, server.url()), .file(file))
        upload.resumption = .none

        let result = try await upload.sent(with: Kernel())

        #expect(server.requests.first?["Expect"] == "100-continue")
        #expect(server.requests.count == (reply == "417" ? 2 : 1))
        if reply == "417" { #expect(server.requests.last?["Expect"] == nil) }
        #expect(result.isComplete == (reply != "final"))
        #expect(result.response.status == (reply == "final" ? 413 : 201))
        #expect(received.bytes == (reply == "final" ? [] : large))
    }

    private final class Heard100: Sendable {
        private let value = Mutex<[UInt8]>([])
        var bytes: [UInt8] { value.withLock { $0 } }
        func set(_ bytes: [UInt8]) { value.withLock { $0 = bytes } }
    }

    @Test func `a file that is missing, a folder and a pipe are not uploaded`() async throws {
        let server = try UploadServer(.tus)
        mkfifo(folder.file("pipe"), 0o600)
        for path in ["missing", "", "pipe"] {
            var upload = upload(server, .tus)
            upload.content = .file(path.isEmpty ? folder.path : folder.file(path))
            let error = await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }
            #expect(error?.code == .bodyRead)
        }
        #expect(server.requests.isEmpty)
    }
}
