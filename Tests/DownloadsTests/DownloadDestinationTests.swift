import Foundation
import Plugboard
import PlugboardFileClaims
import Synchronization
import TestSupport
import Testing

@testable import PlugboardDownloads

/// What stands where a file is to be.
struct DownloadDestinationTests {
    private let scene: DownloadScene
    private var content: [UInt8] { scene.content }
    private var folder: TemporaryFolder { scene.folder }
    private var path: String { scene.path }

    init() throws { scene = try DownloadScene() }

    @Test func `a destination that became a folder leaves all bytes, which need not come again`() async throws {
        let (folder, path) = (folder, path)
        let server = try RangeServer { [content] number, request in
            if number == 1 {
                try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            return RangeServer.correct(request, content)
        }

        let error = await #expect(throws: PlugboardError.self) { try await Kernel().download(server.url, to: path) }
        let left = try folder.read("file.part")
        try FileManager.default.removeItem(atPath: path)
        let result = try await Download(Request(.get, server.url), to: path).run(with: Kernel())

        #expect(error?.code == .downloadWrite && error?.reason.contains("All 100000 bytes are in \(path).part") == true)
        #expect(left == content && result.resumed == 100_000)
        #expect(try folder.read("file") == content)
    }

    @Test func `a folder that was moved away is named, and the bytes stay in it`() async throws {
        let inner = folder.file("inner")
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        let moved = folder.file("moved")
        let server = try RangeServer { [content] _, request in
            try? FileManager.default.moveItem(atPath: inner, toPath: moved)
            return RangeServer.correct(request, content)
        }

        let error = await #expect(throws: PlugboardError.self) {
            try await Kernel().download(server.url, to: inner + "/file")
        }

        #expect(error?.code == .downloadWrite, "\(error.map { "\($0)" } ?? "")")
        #expect(!FileManager.default.fileExists(atPath: inner))
    }

    @Test func `a folder, a device and a path in a missing folder are refused before a request`() async throws {
        let server = try scene.serving()
        for path in [folder.path, folder.path + "/", "/dev/null", folder.file("no/file"), ""] {
            let error = await #expect(throws: PlugboardError.self) { try await Kernel().download(server.url, to: path) }
            #expect(error?.code == .downloadWrite)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a link at the destination is replaced, and its target stays`() async throws {
        let server = try scene.serving()
        try folder.write("target", "mine")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("target"))

        try await Kernel().download(server.url, to: path)

        #expect(try folder.read("target") == Array("mine".utf8))
        #expect(try folder.read("file") == content)
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil)
    }

    @Test func `a link in place of the partial file is refused`() async throws {
        let server = try scene.serving()
        try folder.write("target", "mine")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("file.part"), withDestinationPath: folder.file("target"))

        let error = await #expect(throws: PlugboardError.self) { try await Kernel().download(server.url, to: path) }

        #expect(error?.code == .downloadWrite && error?.reason.contains("is a link") == true)
        #expect(try folder.read("target") == Array("mine".utf8))
    }

    @Test func `a file named like the partial file, but of no download, stays`() async throws {
        let server = try scene.serving()
        try folder.write("file.part", "mine")

        let error = await #expect(throws: PlugboardError.self) { try await Kernel().download(server.url, to: path) }

        #expect(error?.code == .downloadWrite)
        #expect(try folder.read("file.part") == Array("mine".utf8))
    }

    @Test func `a partial file of another user is refused`() async throws {
        let server = try scene.serving()
        try scene.leave(Array(content[..<40]), length: 100_000, url: server.url)
        // Only root can give a file away.
        guard chown(folder.file("file.part"), 65_534, 65_534) == 0 else { return }

        let error = await #expect(throws: PlugboardError.self) { try await Kernel().download(server.url, to: path) }

        #expect(error?.code == .downloadWrite && error?.reason.contains("own") == true)
    }

    @Test func `two downloads to one file do not mix`() async throws {
        let server = try scene.serving()
        let first = try PartialFile(path)

        let error = await #expect(throws: PlugboardError.self) { try await Kernel().download(server.url, to: path) }

        #expect(error?.code == .downloadBusy)
        withExtendedLifetime(first) {}
    }

    @Test(arguments: [1, 4])
    func `a download that follows at once on a cancelled one waits for its file`(segments: Int) async throws {
        let (server, held) = try scene.holding(first: segments)
        var download = Download(Request(.get, server.url("/file")), to: path)
        download.segments = segments
        download.segmentMinimum = 1_000
        let first = Task { [download] in try await download.run(with: Kernel()) }
        try await held.opened()

        first.cancel()
        let result = try await download.run(with: Kernel())

        let error = await #expect(throws: PlugboardError.self) { try await first.value }
        #expect(error?.code == .cancelled && result.count == 100_000)
        #expect(try folder.read("file") == content && folder.entries() == ["file"])
    }

    @Test func `what a cancelled download has left is removed when its last request has ended`() async throws {
        let (server, held) = try scene.holding()
        let download = Download(Request(.get, server.url("/file")), to: path)
        let first = Task { try await download.run(with: Kernel()) }
        try await held.opened()

        first.cancel()
        Download.removePartial(of: path)

        await #expect(throws: PlugboardError.self) { try await first.value }
        while try !folder.entries().isEmpty { await Task.yield() }
    }

    @Test func `a download that waits for a file can be cancelled`() async throws {
        let claim = FileClaim()
        let first = try PartialFile(path, claim)
        claim.cancel()
        let server = try scene.serving()
        let second = Task { [path] in try await Download(Request(.get, server.url), to: path).run(with: Kernel()) }
        while FileClaim.waiterCount(of: "\(path).part") == 0 { await Task.yield() }

        second.cancel()

        let error = await #expect(throws: PlugboardError.self) { try await second.value }
        #expect(error?.code == .cancelled && server.requests.isEmpty)
        withExtendedLifetime(first) {}
    }

    @Test func `a request with a range of its own is refused`() async throws {
        let request = Request(.get, "http://a.test/", fields: Fields(["Range": "bytes=0-1"]))

        let error = await #expect(throws: PlugboardError.self) {
            try await Download(request, to: path).run(with: Kernel())
        }

        #expect(error?.code == .requestField)
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "only who may mount file systems has a small one"))
    func `a full disk is an error that leaves the part, and room lets it continue`() async throws {
        let outcome = try await SmallDisk.run("the download of the small-disk test", mebibytes: 1, at: folder)

        #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
        #expect("\(outcome.stdout)\(outcome.stderr)".contains("with 1 test"), "\(outcome.stdout) \(outcome.stderr)")
    }

    @Test(.enabled(if: SmallDisk.folder != nil))
    func `the download of the small-disk test`() async throws {
        let disk = try #require(SmallDisk.folder)
        let server = try RangeServer { _, request in RangeServer.correct(request, RangeServer.content(700_000)) }
        let ballast = "\(disk)/ballast"
        #expect(FileManager.default.createFile(atPath: ballast, contents: Data(count: 600_000)))

        let error = await #expect(throws: PlugboardError.self) {
            try await Kernel().download(server.url, to: "\(disk)/file")
        }
        #expect(error?.code == .downloadWrite && error?.underlying?.contains("No space") == true)
        #expect(!FileManager.default.fileExists(atPath: "\(disk)/file"))
        try FileManager.default.removeItem(atPath: ballast)
        let result = try await Kernel().download(server.url, to: "\(disk)/file")

        #expect(result.resumed > 0)
        #expect(FileManager.default.contents(atPath: "\(disk)/file") == Data(RangeServer.content(700_000)))
    }

    @Test func `a file that is not to be replaced stays, also if it appears during the download`() async throws {
        let server = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        var download = Download(Request(.get, server.url), to: path)
        download.replacesFile = false
        download.progress = { [folder] _ in _ = try? folder.write("file", "earlier") }

        let first = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }
        let second = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        #expect(first?.code == .downloadExists && second?.code == .downloadExists)
        #expect(server.requests.count == 1)
        #expect(try folder.read("file") == Array("earlier".utf8))
        #expect(try folder.read("file.part") == content)
    }

    @Test(arguments: [false, true])
    func `a rename never replaces, also where the file system has no such rename`(usesLink: Bool) throws {
        try folder.write("old", "mine")
        try folder.write("taken", "earlier")

        #expect(PartialFile.renameNew(folder.file("old"), folder.file("taken"), usesLink: usesLink) == EEXIST)
        #expect(PartialFile.renameNew(folder.file("old"), folder.file("new"), usesLink: usesLink) == nil)

        #expect(try folder.entries() == ["new", "taken"])
        #expect(try folder.read("taken") == Array("earlier".utf8))
    }
}
