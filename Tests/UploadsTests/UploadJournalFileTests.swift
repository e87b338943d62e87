import Foundation
import Plugboard
import TestSupport
import Testing

@testable import PlugboardUploads

/// How the file of a journal is replaced and removed.
extension UploadTests {
    @Test func `an entry replaces the journal in one step, under the lock`() throws {
        let path = folder.file("journal")
        let journal = try UploadJournal(path)
        var entry = UploadJournal.Entry(
            resource: UploadResource(url: "https://origin.test/uploads/with-a-long-name", dialect: .tus),
            file: try #require(UploadParts(.file(file)).file).identity, trust: TransferTrust())
        try journal.save(entry, target: "target")
        let old = try folder.read("journal")
        let reader = try #require(FileHandle(forReadingAtPath: path))

        entry.resource.url = "https://origin.test/0"
        try journal.save(entry, target: "target")
        let busy = #expect(throws: PlugboardError.self) { try UploadJournal(path) }

        // What was opened before has the old entry to its end, and the path has the new one.
        #expect(try reader.readToEnd().map { Array($0) } == old)
        #expect(journal.load("target", with: TransferTrust()) == .entry(entry))
        #expect(try folder.read("journal").count < old.count && busy?.code == .uploadBusy)
        #expect(try folder.entries().sorted() == ["file", "journal"])
    }

    @Test func `a journal with a name of the greatest length is replaced, and other files beside it stay`() throws {
        let name = String(repeating: "j", count: 255)
        try folder.write("\(name.prefix(200)).plugboard-new", "mine")
        let before = try folder.entries()
        let journal = try UploadJournal(folder.file(name))
        let entry = UploadJournal.Entry(
            resource: UploadResource(url: "https://origin.test/uploads/0", dialect: .tus),
            file: try #require(UploadParts(.file(file)).file).identity, trust: TransferTrust())

        try journal.save(entry, target: "target")
        let during = try folder.entries()
        journal.remove()

        #expect(Set(during) == Set(before + [name]) && during.count == before.count + 1)
        #expect(try folder.entries().sorted() == before.sorted())
    }

    @Test func `a file that takes the place of the journal is not replaced by an entry`() throws {
        let journal = try UploadJournal(folder.file("journal"))
        let entry = UploadJournal.Entry(
            resource: UploadResource(url: "https://origin.test/uploads/0", dialect: .tus),
            file: try #require(UploadParts(.file(file)).file).identity, trust: TransferTrust())
        try FileManager.default.removeItem(atPath: folder.file("journal"))
        try folder.write("journal", "mine")

        try journal.save(entry, target: "target")

        #expect(try folder.read("journal") == Array("mine".utf8))
    }

    @Test func `the journal of an expired upload is removed, and others are not`() async throws {
        var plan = UploadServer.Plan(.tus)
        plan.cuts = [40_000]
        plan.creationFields = [("Upload-Expires", "Wed, 25 Jun 2014 16:00:00 GMT")]
        let server = try UploadServer(plan)
        var upload = upload(server, .tus)
        upload.attempts = 1
        _ = try? await upload.run(with: Kernel())
        let expired = 1_403_712_000

        UploadJournal.removeIfExpired(folder.file("journal"), now: Int64(expired - 1))
        UploadJournal.removeIfExpired(folder.file("file"), now: .max)
        let before = try folder.entries().sorted()
        UploadJournal.removeIfExpired(folder.file("journal"), now: Int64(expired))

        #expect(before == ["file", "journal"])
        #expect(try folder.entries() == ["file"])
    }
}
