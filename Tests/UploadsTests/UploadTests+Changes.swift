import Foundation
import Plugboard
import TestSupport
import Testing

@testable import PlugboardUploads

/// Files that change.
extension UploadTests {
    @Test(arguments: dialects, ["longer", "other bytes"])
    func `a file that has changed between two runs starts over, and the old upload is removed`(
        dialect: Dialect, change: String
    ) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.cuts = [40_000]
        let server = try UploadServer(plan)
        var upload = upload(server, resumption(dialect))
        upload.attempts = 1
        _ = try? await upload.run(with: Kernel())
        let changed = RangeServer.content(change == "longer" ? 100_001 : 100_000, seed: 5)
        try folder.write("file", changed)

        let result = try await upload.run(with: Kernel())

        #expect(result.resumed == 0)
        #expect(server.contents == [changed] && server.cancelledCount == 1)
    }

    @Test(arguments: dialects)
    func `a file that changes while it is sent is refused, and the upload is removed`(dialect: Dialect) async throws {
        // More than the buffers of the connection hold.
        try folder.write("file", [UInt8](repeating: 7, count: 24_000_000))
        var plan = UploadServer.Plan(dialect)
        let (isBegun, goesOn) = (Gate(), Gate())
        plan.onPiece = { connection, _ in
            isBegun.open()
            try connection.wait(for: goesOn)
        }
        let server = try UploadServer(plan)
        let upload = upload(server, resumption(dialect))

        let outcome = Task { try await upload.run(with: Kernel()) }
        try await isBegun.opened()
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([1]))
        try handle.close()
        goesOn.open()
        let error = await #expect(throws: PlugboardError.self) { try await outcome.value }

        #expect(error?.code == .uploadChanged)
        #expect(server.contents.isEmpty && server.cancelledCount == 1)
        #expect(try folder.entries() == ["file"])
    }
}
