import Foundation
import Plugboard
import TestSupport
import Testing

@testable import PlugboardDownloads

/// Where a file goes that cannot be written to its destination.
struct DownloadFallbackTests {
    private let scene: DownloadScene
    private var content: [UInt8] { scene.content }
    private var folder: TemporaryFolder { scene.folder }
    private var path: String { scene.path }

    init() throws { scene = try DownloadScene() }

    /// A server that puts a folder where the file is to be.
    private func blocking(_ destination: String, name: String? = nil) throws -> RangeServer {
        try RangeServer { [content] _, request in
            try? FileManager.default.createDirectory(atPath: destination, withIntermediateDirectories: true)
            var reply = RangeServer.correct(request, content)
            if let name { reply.fields.append(("Content-Disposition", "attachment; filename=\(name)")) }
            return reply
        }
    }

    @Test func `a file whose destination became a folder is moved to the fallback`() async throws {
        let server = try blocking(path)
        var download = Download(Request(.get, server.url), to: path)
        download.fallback = folder.file("spare")

        let result = try await download.run(with: Kernel())

        #expect(result.file == folder.file("spare") && result.count == 100_000)
        #expect(try folder.read("spare") == content)
        #expect(try folder.entries() == ["file", "spare"])
    }

    @Test(.enabled(if: OtherDisk.folder != nil, "needs another file system"))
    func `a fallback on another file system gets a copy, and nothing else is left`() async throws {
        let other = try TemporaryFolder(in: OtherDisk.folder)
        // What a broken download has left there is replaced.
        try other.write("spare.part", "old")
        try other.write("spare.part.json", "{}")
        let server = try blocking(path)
        var download = Download(Request(.get, server.url), to: path)
        download.fallback = other.file("spare")

        let result = try await download.run(with: Kernel())

        #expect(result.file == other.file("spare"))
        #expect(try other.read("spare") == content)
        #expect(try other.entries() == ["spare"] && folder.entries() == ["file"])
    }

    @Test func `a file whose folder was moved away is copied to the fallback`() async throws {
        let (inner, moved) = (folder.file("inner"), folder.file("moved"))
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        let server = try scene.serving()
        var download = Download(Request(.get, server.url), to: inner + "/file")
        download.fallback = folder.file("spare")
        download.progress = { _ in try? FileManager.default.moveItem(atPath: inner, toPath: moved) }

        let result = try await download.run(with: Kernel())

        #expect(result.file == folder.file("spare"))
        #expect(try folder.read("spare") == content && folder.entries() == ["moved", "spare"])
    }

    @Test func `a download to a missing folder is one to the fallback, and goes on there`() async throws {
        let server = try scene.serving(cuts: [40_000])
        var download = Download(Request(.get, server.url), to: folder.file("no/file"))
        download.fallback = folder.file("spare")
        download.attempts = 1

        let first = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }
        let left = try folder.entries()
        let result = try await download.run(with: Kernel())

        #expect(first?.code == .bodyCut && left == ["spare.part", "spare.part.json"])
        #expect(result.file == folder.file("spare") && result.resumed == 40_000)
        #expect(try folder.read("spare") == content && folder.entries() == ["spare"])
    }

    @Test(arguments: [false, true])
    func `in a folder the file keeps the name of the server`(isThere: Bool) async throws {
        let target = folder.file("target")
        if isThere { try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false) }
        try FileManager.default.createDirectory(
            atPath: folder.file("spare"), withIntermediateDirectories: false)
        // Where the folder is there, a folder has the name of the file.
        let server = try blocking(isThere ? "\(target)/named.bin" : folder.file("any"), name: "named.bin")
        var download = Download(Request(.get, server.url), in: target)
        download.replacesFile = true
        download.fallback = folder.file("spare")

        let result = try await download.run(with: Kernel())

        #expect(result.file == folder.file("spare/named.bin"))
        #expect(try folder.read("spare/named.bin") == content)
    }

    @Test func `without a place at all the error names both, and the bytes stay`() async throws {
        let server = try blocking(path)
        var download = Download(Request(.get, server.url), to: path)
        download.fallback = folder.file("no/spare")

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }
        let left = try folder.read("file.part")

        #expect(error?.code == .downloadWrite)
        #expect(
            error?.reason.contains("neither \(path) nor \(folder.file("no/spare")) can be written. All 100000 bytes")
                == true, "\(error.map { "\($0)" } ?? "")")
        #expect(left == content && error?.underlying == "No such file or directory")
    }

    @Test(arguments: [false, true])
    func `a file that is there and is not to be replaced is no reason for the fallback`(confirms: Bool) async throws {
        let server = try scene.serving()
        // A file that is there, in a folder in which no other can be made, whoever runs the test.
        var download = Download(Request(.get, server.url), to: "/proc/version")
        download.replacesFile = false
        download.confirmsFile = confirms
        download.fallback = folder.file("spare")

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        #expect(error?.code == .downloadExists, "\(error as Any)")
        #expect(error?.reason.contains("cannot be compared") == confirms, "\(error as Any)")
        #expect(try server.requests.isEmpty && folder.entries() == [])
    }

    @Test func `a file at the fallback is not replaced where none is to be replaced`() async throws {
        let server = try scene.serving()
        try folder.write("spare", "earlier")
        var download = Download(Request(.get, server.url), to: folder.file("no/file"))
        download.replacesFile = false
        download.fallback = folder.file("spare")

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        #expect(error?.code == .downloadExists && server.requests.isEmpty)
        #expect(try folder.read("spare") == Array("earlier".utf8))
    }
}

/// A file system other than that of temporary folders.
private enum OtherDisk {
    static let folder: String? = {
        let (other, own) = ("/dev/shm", ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")
        guard let number = device(of: other), number != device(of: own), access(other, W_OK) == 0 else { return nil }
        return other
    }()

    private static func device(of path: String) -> UInt64? {
        var entry = stat()
        return stat(path, &entry) == 0 ? UInt64(entry.st_dev) : nil
    }
}
