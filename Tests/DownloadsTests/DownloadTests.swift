import Foundation
import Plugboard
import Synchronization
import TestSupport
import Testing

@testable import PlugboardDownloads

struct DownloadTests {
    private let scene: DownloadScene
    private var content: [UInt8] { scene.content }
    private var folder: TemporaryFolder { scene.folder }
    private var path: String { scene.path }

    init() throws { scene = try DownloadScene() }

    @Test func `a download puts the whole file in its place, and leaves nothing beside it`() async throws {
        let server = try scene.serving()

        let result = try await Kernel().download(server.url, to: path)

        #expect(try folder.read("file") == content)
        #expect(try folder.entries() == ["file"])
        #expect(result.isComplete && result.count == 100_000 && result.resumed == 0)
    }

    @Test(arguments: [1, 50_000, 99_999])
    func `a download continues after a break, and in another run`(cut: Int) async throws {
        let server = try scene.serving(cuts: [cut])
        var download = Download(Request(.get, server.url), to: path)
        download.attempts = 1

        await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }
        #expect(try folder.read("file.part").count == cut)
        #expect(!FileManager.default.fileExists(atPath: path))
        let result = try await download.run(with: Kernel())

        #expect(try folder.read("file") == content)
        #expect(result.resumed == cut)
        #expect(server.requests.last?["Range"] == "bytes=\(cut)-")
        #expect(try folder.entries() == ["file"])
    }

    /// Settings of a kernel with which the bytes of another may not be continued.
    private static let otherSettings: [@Sendable (inout KernelSettings) -> Void] = [
        { $0.defaults.tls.verify = false }, { $0.defaults.connectTo = ["other.test:443": "127.0.0.1:1"] },
    ]

    @Test(arguments: 0..<2, [false, true])
    func `the kernel's own options decide whether a download continues what another kernel has left`(
        number: Int, isFirst: Bool
    ) async throws {
        let server = try scene.serving(cuts: [50_000])
        var settings = KernelSettings()
        Self.otherSettings[number](&settings)
        let other = try Kernel(configuration: Configuration(kernel: settings))
        let plain = try Kernel()
        var download = Download(Request(.get, server.url), to: path)
        download.attempts = 1

        await #expect(throws: PlugboardError.self) { try await download.run(with: isFirst ? other : plain) }
        let result = try await download.run(with: isFirst ? plain : other)

        #expect(result.isComplete && result.resumed == 0)
        #expect(try folder.read("file") == content)
    }

    @Test(arguments: BrokenRanges.all, [false, true])
    func `whatever a server sends as the rest, the file is right`(ranges: BrokenRanges, isMended: Bool) async throws {
        let server = try ranges.server()
        let kernel = try Kernel(plugins: isMended ? [.resume { $0.delay = .milliseconds(1) }] : [])
        var download = Download(Request(.get, server.url), to: path)
        download.attempts = 1

        var isComplete = false
        var errors: [String] = []
        for _ in 0..<6 where !isComplete {
            do {
                // Only a response that the file was written from counts.
                isComplete = try await download.run(with: kernel).isComplete
            } catch {
                errors.append("\(error)")
            }
            if !isComplete { #expect(!FileManager.default.fileExists(atPath: path)) }
        }

        try #require(isComplete, "\(errors)")
        #expect(try folder.read("file") == ranges.current)
    }

    @Test func `a download ends its lock, although a child process still has the file open`() throws {
        var partial: PartialFile? = try PartialFile(path)
        // A process that has forked, and not yet called exec, has such a copy of each descriptor.
        let copy = dup(try descriptor(of: folder.file("file.part")))
        defer { close(copy) }
        #expect(partial != nil)
        #expect(throws: PlugboardError.self) { try PartialFile(path) }

        partial = nil

        #expect(throws: Never.self) { try PartialFile(path) }
    }

    private func descriptor(of path: String) throws -> Int32 {
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let found = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").first {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
        return try #require(found.flatMap { Int32($0) })
    }

    @Test func `bytes of a complete partial file are confirmed before it is put in place`() async throws {
        let server = try scene.serving()
        try scene.leave(content, length: 100_000, url: server.url)

        let result = try await Kernel().download(server.url, to: path)

        #expect(server.requests.map { $0["Range"] } == ["bytes=99999-"])
        #expect(result.resumed == 100_000 && result.response.status == 206)
        #expect(try folder.read("file") == content)
    }

    @Test func `bytes of a file that has changed are not put in place`() async throws {
        let server = try scene.serving(tag: "\"b\"")
        try scene.leave(RangeServer.content(100_000, seed: 3), length: 100_000, url: server.url)

        try await Kernel().download(server.url, to: path)

        #expect(try folder.read("file") == content)
    }

    @Test(arguments: [
        "", "{", "[]", "{\"plugboardDownload\": 3}", "null", "{\"plugboardDownload\": 2}", "\u{0}\u{0}\u{0}",
    ])
    func `a journal that is damaged or of another version is not used`(text: String) async throws {
        let server = try scene.serving()
        try scene.leave(Array(repeating: 1, count: 50), length: 100_000, url: server.url)
        try folder.write("file.part.json", text)

        try await Kernel().download(server.url, to: path)

        #expect(server.requests.map { $0["Range"] } == [nil])
        #expect(try folder.read("file") == content)
    }

    @Test func `a part of another URL is dropped, unless the caller says that it is the same resource`() async throws {
        let server = try scene.serving()
        try scene.leave(Array(content[..<50]), length: 100_000, url: "http://a.test/file?token=1")
        var download = Download(Request(.get, server.url), to: path)
        try await download.run(with: Kernel())
        try scene.leave(Array(content[..<50]), length: 100_000, url: "http://a.test/file?token=1")

        download.replacesURL = true
        try await download.run(with: Kernel())

        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=50-"])
        #expect(try folder.read("file") == content)
    }

    @Test(arguments: [true, false])
    func `a part for another Host or target of the URL is dropped`(isHost: Bool) async throws {
        let server = try scene.serving()
        try scene.leave(Array(content[..<50]), length: 100_000, url: server.url)
        var request = Request(.get, server.url)
        if isHost { request.fields[.host] = "b.test" } else { request.options.target = "/file" }

        try await Download(request, to: path).run(with: Kernel())

        #expect(server.requests.map { $0["Range"] } == [nil])
        #expect(try folder.read("file") == content)
    }

    @Test func `after another start of the system, only synchronized bytes count`() async throws {
        let server = try scene.serving()
        try scene.leave(
            Array(content[..<40]) + [0, 0, 0], length: 100_000, url: server.url, boot: "earlier", synced: 40)

        try await Kernel().download(server.url, to: path)

        #expect(server.requests.map { $0["Range"] } == ["bytes=40-"])
        #expect(try folder.read("file") == content)
    }

    @Test func `a journal does not contain the URL`() async throws {
        let server = try scene.serving(cuts: [500])
        var download = Download(Request(.get, server.url("/file?token=geheim")), to: path)
        download.attempts = 1

        _ = try? await download.run(with: Kernel())

        let journal = String(decoding: try folder.read("file.part.json"), as: UTF8.self)
        #expect(!journal.contains("geheim") && journal.contains("\\\"a\\\""))
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("file.part.json"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func `bytes without a strong validator are continued by an overlap that is compared`() async throws {
        let isChanged = Mutex(false)
        let server = try RangeServer { [content] number, request in
            let body = isChanged.withLock { $0 } ? RangeServer.content(100_000, seed: 7) : content
            guard let (first, _) = RangeServer.range(of: request) else { return .init(200, [], body, cut: 30_000) }
            return .init(
                206, [("Content-Range", "bytes \(first)-99999/100000")], Array(body[first...]),
                cut: number == 2 ? 30_000 : nil)
        }
        var download = Download(Request(.get, server.url), to: path)
        download.overlap = .bytes(100)
        download.attempts = 3

        try await download.run(with: Kernel())

        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=29900-", "bytes=59800-"])
        #expect(try folder.read("file") == content)
    }

    @Test func `a response that is not 2xx leaves what there was`() async throws {
        let server = try RangeServer { _, _ in .init(403, [], Array("expired".utf8)) }
        try folder.write("file", "earlier")
        try scene.leave(Array(content[..<40]), length: 100_000, url: server.url)

        let error = await #expect(throws: PlugboardError.self) {
            try await Download(Request(.get, server.url), to: path).run(with: Kernel())
        }

        #expect(error?.code == .responseStatus && error?.response?.head.status == 403)
        #expect(
            error.map { "\($0)" }?.contains("\(server.url) responded with status 403, so \(path) was not written.")
                == true)
        #expect(error?.response?.firstBytes.text == "expired")
        #expect(try folder.read("file") == Array("earlier".utf8))
        #expect(try folder.read("file.part") == Array(content[..<40]))
    }

    @Test(arguments: [true, false])
    func `a part with the status of the whole is not taken for the file`(isFirst: Bool) async throws {
        let server = try RangeServer { [content] number, request in
            guard isFirst || RangeServer.range(of: request) != nil else {
                return RangeServer.correct(request, content, cut: number == 1 ? 40_000 : nil)
            }
            let fields = [("ETag", "\"a\""), ("Content-Range", "bytes 40000-99999/100000")]
            return .init(200, fields, Array(content[40_000...]))
        }

        let result = try? await Download(Request(.get, server.url), to: path).run(with: Kernel())

        #expect((result?.isComplete ?? false) == !isFirst)
        #expect(try folder.entries() == (isFirst ? [] : ["file"]))
        if !isFirst { #expect(try folder.read("file") == content) }
    }

    @Test(arguments: [202, 204, 205, 207])
    func `a response without a representation puts nothing in place`(status: Int) async throws {
        let server = try RangeServer { _, _ in .init(status) }
        try folder.write("file", "earlier")

        let error = await #expect(throws: PlugboardError.self) {
            try await Download(Request(.get, server.url), to: path).run(with: Kernel())
        }

        #expect(error?.code == .responseStatus && error?.response?.head.status == status)
        #expect(try folder.read("file") == Array("earlier".utf8))
        #expect(try folder.entries() == ["file"])
    }

    @Test func `a request that brings nothing leaves nothing`() async throws {
        let server = try RangeServer { _, _ in .init(404) }

        let error = await #expect(throws: PlugboardError.self) { try await Kernel().download(server.url, to: path) }

        #expect(error?.code == .responseStatus)
        #expect(try folder.entries() == [])
    }

    @Test func `progress has totals, and ends with the whole`() async throws {
        let server = try scene.serving(cuts: [20_000])
        let reports = Mutex<[TransferProgress]>([])
        var download = Download(Request(.get, server.url), to: path)
        download.progress = { report in reports.withLock { $0.append(report) } }

        try await download.run(with: Kernel())

        let all = reports.withLock { $0 }
        #expect(all.last == TransferProgress(received: 100_000, toReceive: 100_000, resumed: 0))
        #expect(all.map(\.received) == all.map(\.received).sorted())
    }
}
