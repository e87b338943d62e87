import Foundation
import Plugboard
import TestSupport
import Testing

@testable import PlugboardUploads

/// Uploads that continue in another run.
extension UploadTests {
    // MARK: Journals

    /// A journal of the upload `T` to the server, which is used where the values are right.
    private static func text(
        url: String = "http://127.0.0.1/", dialect: String = "draft", size: String = "100000"
    ) -> String {
        #"{"plugboardUpload":1,"target":"T","resource":{"url":"\#(url)","dialect":"\#(dialect)"},"#
            + #""file":{"size":\#(size),"modified":1,"inode":1,"device":1,"changed":1},"isVerified":true}"#
    }

    @Test(arguments: [
        "", "{", "\u{0}\u{0}", #"{"plugboardUpload":1,"targ"#, #"{"plugboardUpload": 1}"#,
        UploadTests.text(url: "file:///etc/passwd"), UploadTests.text(dialect: "ftp"), UploadTests.text(size: "-1"),
    ])
    func `a journal that is damaged is not used`(text: String) async throws {
        let server = try UploadServer(.tus)
        let upload = upload(server, .tus)
        let target = Request(.get, server.url()).resourceKey
        try folder.write("journal", text.replacingOccurrences(of: "\"T\"", with: "\"\(target)\""))

        try await upload.run(with: Kernel())

        #expect(server.contents == [content])
        #expect(server.requestLines == ["POST /files", "PATCH /uploads/0 0"])
    }

    @Test(arguments: [true, false], [true, false])
    func `a request that is verified uses no resource of a server that was not`(before: Bool, now: Bool) throws {
        let journal = try UploadJournal(folder.file("journal"))
        let target = Request(.get, "https://origin.test/files").resourceKey
        let entry = UploadJournal.Entry(
            resource: UploadResource(url: "https://origin.test/uploads/0", dialect: .tus),
            file: try #require(UploadParts(.file(file)).file).identity, trust: TransferTrust(isVerified: before))
        try journal.save(entry, target: target)

        let loaded = journal.load(target, with: TransferTrust(isVerified: now))

        #expect(loaded == (before || !now ? .entry(entry) : .unverified))
    }

    @Test(arguments: [nil, "a"], [nil, "a", "b"])
    func `only the same detour uses the resource of a journal`(before: String?, now: String?) throws {
        let journal = try UploadJournal(folder.file("journal"))
        let entry = UploadJournal.Entry(
            resource: UploadResource(url: "https://origin.test/uploads/0", dialect: .tus),
            file: try #require(UploadParts(.file(file)).file).identity, trust: TransferTrust(detour: before))
        try journal.save(entry, target: "target")

        let loaded = journal.load("target", with: TransferTrust(detour: now))

        #expect(loaded == (before == now ? .entry(entry) : .otherDetour))
    }

    @Test func `a journal of another URL is left alone, and one whose upload has expired is not used`() async throws {
        var plan = UploadServer.Plan(.tus)
        plan.cuts = [40_000]
        plan.creationFields = [("Upload-Expires", "Wed, 25 Jun 2014 16:00:00 GMT")]
        let server = try UploadServer(plan)
        var upload = upload(server, .tus)
        upload.attempts = 1
        _ = try? await upload.run(with: Kernel())

        let result = try await upload.run(with: Kernel())
        server.change { $0.cuts = [nil, nil, 40_000] }
        _ = try? await upload.run(with: Kernel())
        upload.request.url = server.url("/elsewhere")
        let before = try folder.read("journal")
        let refused = await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }
        let cancelled = try await upload.cancel(with: Kernel())

        #expect(result.resumed == 0)
        #expect(refused?.code == .uploadJournal && cancelled == nil)
        #expect(try folder.read("journal") == before && !before.isEmpty)
        #expect(server.contents == [content])
    }

    @Test func `two uploads do not use one journal at a time, and a link is not followed`() async throws {
        let server = try UploadServer(.tus)
        let upload = upload(server, .tus)
        let held = try UploadJournal(folder.file("journal"))

        let busy = await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }
        withExtendedLifetime(held) {}
        var linked = upload
        linked.journal = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: file)
        let refused = await #expect(throws: PlugboardError.self) { try await linked.run(with: Kernel()) }

        #expect(busy?.code == .uploadBusy && refused?.code == .uploadJournal)
        #expect(try folder.read("file") == content && server.requests.isEmpty)
    }

    @Test func `the journal of an upload that has ended is free, though its requests are still held`() async throws {
        var plan = UploadServer.Plan(.tus)
        plan.cuts = [40_000]
        let server = try UploadServer(plan)
        var upload = upload(server, .tus)
        upload.attempts = 1
        let hoarder = try HoardingSender()

        let broken = await #expect(throws: PlugboardError.self) { try await upload.run(with: hoarder) }
        let result = try await upload.run(with: Kernel())

        #expect(broken?.code != .uploadBusy && hoarder.count > 0)
        #expect(result.resumed > 0)
        #expect(server.contents == [content])
    }

    @Test(arguments: dialects, [true, false])
    func `what follows at once on a cancelled upload waits for its journal`(dialect: Dialect, removes: Bool)
        async throws
    {
        let held = Gate()
        var plan = UploadServer.Plan(dialect)
        plan.onPiece = { connection, count in
            guard count >= 40_000, held.admitted == 0 else { return }
            held.open()
            try connection.waitForClose()
        }
        let server = try UploadServer(plan)
        let upload = upload(server, resumption(dialect))
        let run = Task { try await upload.run(with: Kernel()) }
        try await held.opened()

        run.cancel()
        if removes {
            #expect(try await upload.cancel(with: Kernel())?.status == 204)
        } else {
            #expect(try await upload.run(with: Kernel()).isComplete && server.contents == [content])
        }

        #expect(try folder.entries() == ["file"])
        await #expect(throws: PlugboardError.self) { try await run.value }
    }

    @Test(arguments: dialects)
    func `cancelling removes the upload on the server, and the journal`(dialect: Dialect) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.cuts = [40_000]
        let server = try UploadServer(plan)
        var upload = upload(server, resumption(dialect))
        upload.attempts = 1
        _ = try? await upload.run(with: Kernel())

        let response = try await upload.cancel(with: Kernel())
        let again = try await upload.cancel(with: Kernel())

        #expect(response?.status == 204 && again == nil)
        #expect(server.partial.isEmpty && server.cancelledCount == 1)
        #expect(try folder.entries() == ["file"])
    }

    @Test(arguments: ["[]", "null", "a text", #"{"plug": 1}"#, #"{"plugboardUpload": 2}"#])
    func `a file that is no journal of this version is refused, and stays as it is`(text: String) async throws {
        let server = try UploadServer(.tus)
        let upload = upload(server, .tus)
        try folder.write("journal", text)

        let error = await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }
        _ = try? await upload.cancel(with: Kernel())

        #expect(error?.code == .uploadJournal && server.requests.isEmpty)
        #expect(try folder.read("journal") == Array(text.utf8))
    }

    @Test(arguments: dialects, [403, 402, 413, 451])
    func `a status that says nothing of the upload leaves the journal`(dialect: Dialect, status: Int) async throws {
        // A server of tus tells by 403 without an offset that it has no such upload.
        let fields = dialect == .tus && status == 403 ? [("Upload-Offset", "0")] : []
        var plan = UploadServer.Plan(dialect)
        plan.cuts = [40_000]
        plan.override = { _, request in
            request.method == "HEAD" ? ServerResponse(status: status, fields: fields) : nil
        }
        let server = try UploadServer(plan)

        let refused = await #expect(throws: PlugboardError.self) {
            try await upload(server, resumption(dialect)).run(with: Kernel())
        }
        server.change { $0.override = nil }
        let again = try await upload(server, resumption(dialect)).run(with: Kernel())

        #expect(refused?.code == .responseStatus && refused?.response?.status == status)
        #expect(again.resumed == 40_000 && server.contents == [content])
    }

    /// An upload by tus that broke in an earlier process, and its server.
    private func broken() async throws -> (UploadServer, Upload) {
        var plan = UploadServer.Plan(.tus)
        plan.cuts = [40_000]
        let server = try UploadServer(plan)
        var upload = upload(server, .tus)
        upload.attempts = 1
        _ = try? await upload.run(with: Kernel())
        upload.attempts = 5
        return (server, upload)
    }

    @Test func `an upload that tus answers with 403 is gone, and is created again`() async throws {
        let (server, upload) = try await broken()
        server.change { $0.override = { _, request in request.method == "HEAD" ? ServerResponse(status: 403) : nil } }

        let result = try await upload.run(with: Kernel())

        #expect(result.resumed == 0 && server.contents == [content])
        #expect(try folder.entries() == ["file"])
    }

    @Test func `credentials that are refused with 403 do not lose the upload`() async throws {
        let (server, upload) = try await broken()
        server.change { $0.override = { _, _ in ServerResponse(status: 403) } }

        let refused = await #expect(throws: PlugboardError.self) { try await upload.run(with: Kernel()) }
        server.change { $0.override = nil }
        let result = try await upload.run(with: Kernel())

        #expect(refused?.code == .responseStatus && refused?.response?.status == 403)
        #expect(result.resumed == 40_000 && server.contents == [content])
    }

    @Test func `a removal that tus answers with 403 leaves the journal`() async throws {
        let (server, upload) = try await broken()
        server.change { $0.override = { _, _ in ServerResponse(status: 403) } }

        let response = try await upload.cancel(with: Kernel())

        #expect(response?.status == 403)
        #expect(try folder.entries() == ["file", "journal"])
    }

    @Test(arguments: dialects)
    func `a file that is rewritten with its old size and time starts over`(dialect: Dialect) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.cuts = [40_000]
        let server = try UploadServer(plan)
        var upload = upload(server, resumption(dialect))
        upload.attempts = 1
        _ = try? await upload.run(with: Kernel())
        let changed = RangeServer.content(100_000, seed: 5)
        var status = stat()
        stat(file, &status)
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.write(contentsOf: Data(changed))
        try handle.close()
        utimensat(AT_FDCWD, file, [status.st_atim, status.st_mtim], 0)

        let result = try await upload.run(with: Kernel())

        #expect(result.resumed == 0)
        #expect(server.contents == [changed])
    }
}
