import Foundation
import Plugboard
import TestSupport
import Testing

@testable import PlugboardUploads

/// Uploads that go on after a break.
struct UploadTests {
    typealias Dialect = UploadServer.Dialect
    static let dialects: [Dialect] = [.draft, .tus]

    let content = RangeServer.content(100_000)
    let folder: TemporaryFolder
    let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = try folder.write("file", content)
    }

    func upload(_ server: UploadServer, _ resumption: Upload.Resumption) -> Upload {
        var upload = Upload(Request(.put, server.url()), .file(file))
        upload.resumption = resumption
        upload.journal = folder.file("journal")
        upload.delay = .milliseconds(1)
        return upload
    }

    func resumption(_ dialect: Dialect) -> Upload.Resumption { dialect == .tus ? .tus : .draft }

    // MARK: Whole uploads

    @Test(arguments: Dialect.allCases, Upload.Resumption.allCases)
    func `a file arrives byte by byte, by each protocol that the server speaks`(
        dialect: Dialect, resumption: Upload.Resumption
    ) async throws {
        let isSpoken = resumption == .automatic || resumption == .none || resumption.rawValue == dialect.rawValue
        let server = try UploadServer(dialect)
        let upload = upload(server, resumption)
        guard isSpoken else {
            let error = await #expect(throws: PlugboardError.self) {
                let result = try await upload.sent(with: Kernel())
                // tus servers refuse a POST without their fields; others accept it as a request without content.
                if !result.isComplete { throw PlugboardError(.uploadProtocol, "") }
            }
            #expect(error?.code == .uploadProtocol)
            return
        }
        // A server of tus has no PUT without tus.
        if dialect == .tus && resumption == .none { return }

        let result = try await upload.run(with: Kernel())

        #expect(result.count == 100_000 && result.resumed == 0)
        #expect(server.contents == [content])
        #expect(try folder.entries() == ["file"])
    }

    @Test(arguments: [Upload.Resumption.none, .draft, .tus])
    func `bytes and streams arrive, with and without a known length`(resumption: Upload.Resumption) async throws {
        let server = try UploadServer(resumption == .tus ? .tus : resumption == .draft ? .draft : .none)
        for kind in ["bytes", "stream of known length", "stream"] where resumption != .none || kind != "stream" {
            let stream = AsyncStream<Bytes> { input in
                for start in stride(from: 0, to: content.count, by: 7_000) {
                    input.yield(Bytes(Array(content[start..<min(start + 7_000, content.count)])))
                }
                input.finish()
            }
            let body: UploadContent =
                kind == "bytes"
                ? .bytes(Bytes(content)) : .stream(.stream(stream, length: kind == "stream" ? nil : content.count))
            var upload = Upload(Request(.put, server.url()), body)
            upload.resumption = resumption
            upload.partSize = .bytes(30_000)

            let result = try await upload.run(with: Kernel())

            #expect(result.count == 100_000, "\(kind)")
        }
        #expect(server.contents == Array(repeating: content, count: resumption == .none ? 2 : 3))
    }

    @Test(arguments: dialects, [0, 1])
    func `an empty file and a file of one byte are uploaded`(dialect: Dialect, count: Int) async throws {
        let server = try UploadServer(dialect)
        try folder.write("file", content.prefix(count))

        let result = try await upload(server, resumption(dialect)).run(with: Kernel())

        #expect(result.isComplete)
        if dialect == .draft || count > 0 { #expect(server.contents == [Array(content.prefix(count))]) }
    }

    // MARK: Breaks

    @Test(arguments: dialects, [1, 16_384, 50_000, 99_999])
    func `an upload goes on where the server has stopped receiving`(dialect: Dialect, cut: Int) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.cuts = [cut, 1, nil]
        let server = try UploadServer(plan)

        let result = try await upload(server, resumption(dialect)).run(with: Kernel())

        #expect(result.isComplete)
        #expect(server.contents == [content])
        let patches = server.requests.filter { $0.method == "PATCH" }.compactMap { $0["Upload-Offset"] }
        #expect(patches == (cut == 99_999 ? ["0", "99999"] : ["0", "\(cut)", "\(cut + 1)"]))
    }

    @Test(arguments: [1, 50_000])
    func `an upload that is announced while it is sent goes on after a break`(cut: Int) async throws {
        var plan = UploadServer.Plan(.draft)
        plan.cuts = [cut, nil]
        let server = try UploadServer(plan)

        try await upload(server, .automatic).run(with: Kernel())

        #expect(server.contents == [content])
        #expect(server.requestLines == ["OPTIONS /files", "PUT /files", "HEAD /uploads/0", "PATCH /uploads/0 \(cut)"])
    }

    @Test(arguments: dialects)
    func `an upload goes on in another run, and says how much was there`(dialect: Dialect) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.cuts = [40_000]
        let server = try UploadServer(plan)
        var upload = upload(server, resumption(dialect))
        upload.attempts = 1

        await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }
        let journal = String(decoding: try folder.read("journal"), as: UTF8.self)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("journal"))[.posixPermissions]
        let result = try await upload.run(with: Kernel())

        #expect(journal.contains("/uploads/0") && !journal.contains("/files"))
        #expect(mode as? Int == 0o600)
        #expect(result.resumed == 40_000)
        #expect(server.contents == [content])
        #expect(try folder.entries() == ["file"])
    }

    @Test(arguments: dialects)
    func `a response that is lost after the last byte is asked for, and nothing is sent twice`(
        dialect: Dialect
    ) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.losesResponse = [1]
        let server = try UploadServer(plan)

        try await upload(server, resumption(dialect)).run(with: Kernel())

        #expect(server.contents == [content])
        #expect(server.requests.filter { $0.method == "PATCH" }.count == 1)
    }

    @Test(arguments: dialects)
    func `an upload that the server has lost starts over`(dialect: Dialect) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.cuts = [40_000, nil]
        plan.forgetsBefore = [3]
        let server = try UploadServer(plan)

        let result = try await upload(server, resumption(dialect)).run(with: Kernel())

        #expect(result.resumed == 0 && server.contents == [content])
        #expect(server.requestLines.last == "PATCH /uploads/1 0")
    }

    @Test(arguments: dialects)
    func `a server that loses every upload ends the attempts`(dialect: Dialect) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.forgetsBefore = Set(2...40)
        let server = try UploadServer(plan)

        let error = await #expect(throws: PlugboardError.self) {
            try await upload(server, resumption(dialect)).run(with: Kernel())
        }

        #expect(error?.code == .responseStatus && error?.response?.status == 404)
        #expect(error?.reason.hasSuffix("responded with status 404, so \(file) was not uploaded.") == true)
        #expect(server.contents.isEmpty && server.requests.count <= 12)
    }

    @Test(arguments: dialects, [1, 1_000_000])
    func `an offset beyond what was sent fails, and nothing more is sent`(
        dialect: Dialect, exaggeration: Int
    ) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.cuts = [99_999]
        plan.exaggeration = exaggeration + 1
        let server = try UploadServer(plan)

        let error = await #expect(throws: PlugboardError.self) {
            try await upload(server, resumption(dialect)).run(with: Kernel())
        }

        #expect(error?.code == .uploadOffset)
        #expect(server.requests.filter { $0.method == "PATCH" }.count == 1)
    }

    @Test(arguments: dialects, ["-1", "+5", "5, 5", "1e3", "", "5\t6", "99999999999999999999", "0x10"])
    func `an offset that is no number is an error`(dialect: Dialect, value: String) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.cuts = [40_000]
        plan.override = { _, request in
            request.method == "HEAD" ? ServerResponse(status: 200, fields: [("Upload-Offset", value)]) : nil
        }
        let server = try UploadServer(plan)

        let error = await #expect(throws: PlugboardError.self) {
            try await upload(server, resumption(dialect)).run(with: Kernel())
        }

        #expect(error?.code == .uploadProtocol)
    }

    @Test(arguments: dialects, [500, 503, 429, 408])
    func `a status that will pass is tried again, and one that will not is the response`(
        dialect: Dialect, status: Int
    ) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.override = { number, _ in [1, 3, 4].contains(number) ? ServerResponse(status: status) : nil }
        let server = try UploadServer(plan)
        let refusing = try UploadServer(
            {
                var plan = plan
                plan.override = { number, _ in number == 2 ? ServerResponse(status: 403) : nil }
                return plan
            }())

        try await upload(server, resumption(dialect)).run(with: Kernel())
        let refused = await #expect(throws: PlugboardError.self) {
            try await upload(refusing, resumption(dialect)).run(with: Kernel())
        }

        #expect(server.contents == [content])
        #expect(refused?.response?.status == 403 && refusing.contents.isEmpty)
    }

    @Test func `a server that accepts bytes and does not have them ends the attempts`() async throws {
        var plan = UploadServer.Plan(.tus)
        plan.override = { _, request in request.method == "PATCH" ? ServerResponse(status: 204) : nil }
        let server = try UploadServer(plan)
        var upload = upload(server, .tus)
        upload.content = .bytes(Bytes(content))

        let result = try? await upload.run(with: Kernel())

        #expect(result == nil && server.requests.count <= 12)
    }
}
