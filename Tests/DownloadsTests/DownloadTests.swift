import Foundation
import Plugboard
import Synchronization
import TestSupport
import Testing

@testable import PlugboardDownloads

struct DownloadTests {
    private let content = RangeServer.content(100_000)
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("file")
    }

    @Test func `a download puts the whole file in its place, and leaves nothing beside it`() async throws {
        let server = try serving()

        let result = try await Kernel().download(server.url, to: path)

        #expect(try folder.read("file") == content)
        #expect(try folder.entries() == ["file"])
        #expect(result.isComplete && result.count == 100_000 && result.resumed == 0)
    }

    @Test(arguments: [1, 50_000, 99_999])
    func `a download continues after a break, and in another run`(cut: Int) async throws {
        let server = try serving(cuts: [cut])
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
        let server = try serving()
        try leave(content, length: 100_000, url: server.url)

        let result = try await Kernel().download(server.url, to: path)

        #expect(server.requests.map { $0["Range"] } == ["bytes=99999-"])
        #expect(result.resumed == 100_000 && result.response.status == 206)
        #expect(try folder.read("file") == content)
    }

    @Test func `bytes of a file that has changed are not put in place`() async throws {
        let server = try serving(tag: "\"b\"")
        try leave(RangeServer.content(100_000, seed: 3), length: 100_000, url: server.url)

        try await Kernel().download(server.url, to: path)

        #expect(try folder.read("file") == content)
    }

    @Test(arguments: [
        "", "{", "[]", "{\"plugboardDownload\": 2}", "null", "{\"plugboardDownload\": 1}", "\u{0}\u{0}\u{0}",
    ])
    func `a journal that is damaged or of another version is not used`(text: String) async throws {
        let server = try serving()
        try leave(Array(repeating: 1, count: 50), length: 100_000, url: server.url)
        try folder.write("file.part.json", text)

        try await Kernel().download(server.url, to: path)

        #expect(server.requests.map { $0["Range"] } == [nil])
        #expect(try folder.read("file") == content)
    }

    @Test func `a part of another URL is dropped, unless the caller says that it is the same resource`() async throws {
        let server = try serving()
        try leave(Array(content[..<50]), length: 100_000, url: "http://a.test/file?token=1")
        var download = Download(Request(.get, server.url), to: path)
        try await download.run(with: Kernel())
        try leave(Array(content[..<50]), length: 100_000, url: "http://a.test/file?token=1")

        download.replacesURL = true
        try await download.run(with: Kernel())

        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=50-"])
        #expect(try folder.read("file") == content)
    }

    @Test func `after another start of the system, only synchronized bytes count`() async throws {
        let server = try serving()
        try leave(Array(content[..<40]) + [0, 0, 0], length: 100_000, url: server.url, boot: "earlier", synced: 40)

        try await Kernel().download(server.url, to: path)

        #expect(server.requests.map { $0["Range"] } == ["bytes=40-"])
        #expect(try folder.read("file") == content)
    }

    @Test func `a journal does not contain the URL`() async throws {
        let server = try serving(cuts: [500])
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

    // MARK: Digests and limits

    @Test func `a file with another digest is not put in place`() async throws {
        let server = try serving()
        var download = Download(Request(.get, server.url), to: path)
        download.digest = ExpectedDigest("sha-256=" + String(repeating: "0", count: 64))

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        #expect(error?.code == .downloadDigest)
        #expect(try folder.entries() == [])
    }

    @Test(arguments: [
        "Repr-Digest: sha-256=:VALUE:", "Digest: md5=x, SHA-256=VALUE", "Content-Digest: sha-256=:VALUE:",
    ])
    func `the server's digest is checked, over the bytes of all responses`(field: String) async throws {
        let parts = field.split(separator: ":", maxSplits: 1).map(String.init)
        let digest = Bytes(content).sha256
        let bytes = stride(from: 0, to: 64, by: 2).map { offset in
            UInt8(digest.dropFirst(offset).prefix(2), radix: 16) ?? 0
        }
        let value = parts[1].dropFirst().replacingOccurrences(of: "VALUE", with: Data(bytes).base64EncodedString())
        for isRight in [true, false] {
            let server = try RangeServer { [content] number, request in
                var reply = RangeServer.correct(
                    request, isRight ? content : RangeServer.content(100_000, seed: 5), cut: number == 1 ? 777 : nil)
                if reply.status == 200 || parts[0] != "Content-Digest" { reply.fields.append((parts[0], value)) }
                return reply
            }

            let result = try? await Kernel().download(server.url, to: path)

            // The last response of the last row has no digest of the whole.
            #expect((result != nil) == (isRight || parts[0] == "Content-Digest"))
            folder.removeEntries()
        }
    }

    @Test func `a server that sends without end is stopped at the limit`() async throws {
        let server = try LoopbackServer(.endlessBody())
        var download = Download(Request(.get, server.url()), to: path)
        download.limit = .mebibytes(1)

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        #expect(error?.code == .bodyLimit)
        #expect(try folder.entries() == [])
    }

    @Test func `a response that is not 2xx leaves what there was`() async throws {
        let server = try RangeServer { _, _ in .init(403, [], Array("expired".utf8)) }
        try folder.write("file", "earlier")
        try leave(Array(content[..<40]), length: 100_000, url: server.url)

        let result = try await Download(Request(.get, server.url), to: path).run(with: Kernel())

        #expect(!result.isComplete && result.response.status == 403)
        #expect(try await result.response.body.text() == "expired")
        #expect(try folder.read("file") == Array("earlier".utf8))
        #expect(try folder.read("file.part") == Array(content[..<40]))
    }

    @Test func `a request that brings nothing leaves nothing`() async throws {
        let server = try RangeServer { _, _ in .init(404) }

        let error = await #expect(throws: PlugboardError.self) { try await Kernel().download(server.url, to: path) }

        #expect(error?.code == .responseStatus)
        #expect(try folder.entries() == [])
    }

    @Test func `progress has totals, and ends with the whole`() async throws {
        let server = try serving(cuts: [20_000])
        let reports = Mutex<[DownloadProgress]>([])
        var download = Download(Request(.get, server.url), to: path)
        download.progress = { report in reports.withLock { $0.append(report) } }

        try await download.run(with: Kernel())

        let all = reports.withLock { $0 }
        #expect(all.last == DownloadProgress(received: 100_000, resumed: 0, total: 100_000))
        #expect(all.map(\.received) == all.map(\.received).sorted())
    }

    // MARK: Destinations

    @Test func `a folder, a device and a path in a missing folder are refused before a request`() async throws {
        let server = try serving()
        for path in [folder.path, folder.path + "/", "/dev/null", folder.file("no/file"), ""] {
            let error = await #expect(throws: PlugboardError.self) { try await Kernel().download(server.url, to: path) }
            #expect(error?.code == .downloadWrite)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a link at the destination is replaced, and its target stays`() async throws {
        let server = try serving()
        try folder.write("target", "mine")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("target"))

        try await Kernel().download(server.url, to: path)

        #expect(try folder.read("target") == Array("mine".utf8))
        #expect(try folder.read("file") == content)
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil)
    }

    @Test func `a link in place of the partial file is refused`() async throws {
        let server = try serving()
        try folder.write("target", "mine")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("file.part"), withDestinationPath: folder.file("target"))

        let error = await #expect(throws: PlugboardError.self) { try await Kernel().download(server.url, to: path) }

        #expect(error?.code == .downloadWrite && error?.reason.contains("is a link") == true)
        #expect(try folder.read("target") == Array("mine".utf8))
    }

    @Test func `a file named like the partial file, but of no download, stays`() async throws {
        let server = try serving()
        try folder.write("file.part", "mine")

        let error = await #expect(throws: PlugboardError.self) { try await Kernel().download(server.url, to: path) }

        #expect(error?.code == .downloadWrite)
        #expect(try folder.read("file.part") == Array("mine".utf8))
    }

    @Test func `a partial file of another user is refused`() async throws {
        let server = try serving()
        try leave(Array(content[..<40]), length: 100_000, url: server.url)
        // Only root can give a file away.
        guard chown(folder.file("file.part"), 65_534, 65_534) == 0 else { return }

        let error = await #expect(throws: PlugboardError.self) { try await Kernel().download(server.url, to: path) }

        #expect(error?.code == .downloadWrite && error?.reason.contains("own") == true)
    }

    @Test func `two downloads to one file do not mix`() async throws {
        let server = try serving()
        let first = try PartialFile(path)

        let error = await #expect(throws: PlugboardError.self) { try await Kernel().download(server.url, to: path) }

        #expect(error?.code == .downloadBusy)
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

    // MARK: Arrangement

    private func serving(cuts: [Int] = [], tag: String = "\"a\"") throws -> RangeServer {
        try RangeServer { [content] number, request in
            RangeServer.correct(request, content, tag: tag, cut: number <= cuts.count ? cuts[number - 1] : nil)
        }
    }

    /// What a download has left that was killed.
    private func leave(
        _ bytes: [UInt8], length: Int, url: String, boot: String? = nil, synced: Int = 0
    ) throws {
        let own = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        var journal = Journal(
            url: Journal.key(of: url), boot: boot ?? own.trimmingCharacters(in: .whitespacesAndNewlines),
            representation: .init(validator: .entityTag("\"a\""), length: length, coding: ""))
        journal.synced = synced
        try folder.write("file.part", bytes)
        try folder.write("file.part.json", journal.text)
    }
}

extension TemporaryFolder {
    fileprivate func removeEntries() {
        for name in (try? entries()) ?? [] { try? FileManager.default.removeItem(atPath: file(name)) }
    }
}
