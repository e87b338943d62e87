import Foundation
import PlugboardEndpoints
import PlugboardMessages
import Synchronization
import TestSupport
import Testing

/// Where an endpoint's file goes, and what the endpoint says of its download.
@Suite struct DownloadPathTests {
    struct GetFile: Endpoint {
        typealias Response = DownloadedFile
        var path = "lakes/garda.jpg"
        var downloadPath: String
        var change: @Sendable (inout Download) -> Void = { _ in }

        func prepare(_ download: inout Download) { change(&download) }
    }

    private let content = RangeServer.content(50_000)
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func client(_ server: RangeServer) throws -> Client {
        Client(kernel: try Kernel(), settings: ClientSettings(base: server.url("")))
    }

    /// A server without validators, whose first response ends early.
    private func serving(name: String? = nil, cut: Int? = nil) throws -> RangeServer {
        try RangeServer { [content] number, request in
            var reply = RangeServer.correct(request, content, cut: number == 1 ? cut : nil)
            reply.fields.removeAll { $0.name == "ETag" }
            if let name { reply.fields.append(("Content-Disposition", "attachment; filename=\"\(name)\"")) }
            return reply
        }
    }

    @Test(arguments: ["", "/"])
    func `in a folder the file has the last part of the URL's path as its name`(end: String) async throws {
        let server = try serving()
        let client = try client(server)

        let file = try await client.send(GetFile(downloadPath: folder.path + end))

        #expect(file == DownloadedFile(path: folder.file("garda.jpg"), byteCount: 50_000))
        #expect(try folder.read("garda.jpg") == content && folder.entries() == ["garda.jpg"])
        #expect(server.requests.count == 1)
    }

    @Test func `in a folder the server's name counts first, and never leaves the folder`() async throws {
        let server = try serving(name: "../Lake Garda.jpg")
        let client = try client(server)

        let file = try await client.send(GetFile(downloadPath: folder.path))

        #expect(file.path == folder.file("Lake Garda.jpg"))
        #expect(try folder.entries() == ["Lake Garda.jpg"] && server.requests.count == 1)
    }

    @Test func `a file in a folder is replaced only where the endpoint says so`() async throws {
        let server = try serving()
        let client = try client(server)
        try folder.write("garda.jpg", "mine")

        let error = await #expect(throws: PlugboardError.self) {
            try await client.send(GetFile(downloadPath: folder.path))
        }
        let kept = try folder.read("garda.jpg")
        _ = try await client.send(GetFile(downloadPath: folder.path) { $0.replacesFile = true })

        #expect(error?.code == .downloadExists && kept == Array("mine".utf8))
        #expect(try folder.read("garda.jpg") == content && server.requests.count == 2)
    }

    @Test func `the same download begins again at once after a call or a batch was cancelled`() async throws {
        let held = Gate()
        let server = try LoopbackServer { [content] connection in
            let request = try connection.readRequest()
            let isHeld = request.path == "/held"
            try RangeServer.send(RangeServer.correct(request, content, cut: isHeld ? 10_000 : nil), connection)
            if isHeld {
                held.admit()
                try connection.waitForClose()
            }
        }
        let client = Client(kernel: try Kernel(), settings: ClientSettings(base: server.url("")))
        client.update { $0.callbackExecutor = .immediate }
        let (path, batchPath) = (folder.file("one"), folder.file("two"))
        let again = Mutex<Call<DownloadedFile>?>(nil)

        let call = client.call(GetFile(path: "held", downloadPath: path)).onFinished { _ in
            again.withLock { $0 = client.call(GetFile(path: "free", downloadPath: path)) }
        }
        try await held.opened(for: 1)
        call.cancel()
        let one = try await #require(again.withLock { $0 }).value
        let batch = client.batchCall([GetFile(path: "held", downloadPath: batchPath)])
        try await held.opened(for: 2)
        batch.cancel()
        let two = try await client.send(GetFile(path: "free", downloadPath: batchPath))

        #expect(call.state == .cancelled && batch.state == .cancelled)
        #expect(one == DownloadedFile(path: path, byteCount: 50_000))
        #expect(two == DownloadedFile(path: batchPath, byteCount: 50_000))
        #expect(try folder.read("one") == content && folder.read("two") == content)
    }

    @Test func `the progress of a call counts the whole file, whatever it takes to receive it`() async throws {
        let server = try RangeServer { [content] number, request in
            RangeServer.correct(request, content, cut: number < 3 ? 15_000 : nil)
        }
        let client = try client(server)
        let path = folder.file("file")
        let own = Mutex(0)
        let seen = Mutex<[TransferProgress]>([])
        func endpoint(attempts: Int) -> GetFile {
            GetFile(downloadPath: path) { download in
                download.attempts = attempts
                download.progress = { progress in own.withLock { $0 = progress.received } }
            }
        }

        let broken = client.call(endpoint(attempts: 1))
        await broken.ended()
        let call = client.call(endpoint(attempts: 3), isStarted: false)
            .onProgress { progress in seen.withLock { $0.append(progress) } }
        _ = try await call.value

        let received = seen.withLock { $0.map(\.received) }
        #expect(broken.error?.code == .bodyCut && server.requests.count == 3)
        #expect(received.contains(15_000) && received == received.sorted(), "\(received)")
        #expect(
            call.currentProgress == TransferProgress(toSend: 0, received: 50_000, toReceive: 50_000, resumed: 15_000))
        #expect(own.withLock { $0 } == 50_000)
    }

    @Test func `a folder that does not exist is an error`() async throws {
        let server = try serving()
        let client = try client(server)

        let error = await #expect(throws: PlugboardError.self) {
            try await client.send(GetFile(downloadPath: folder.file("no/")))
        }

        #expect(server.requests.isEmpty)
        #expect(error?.code == .downloadWrite && error?.reason.contains(folder.file("no/garda.jpg.part")) == true)
    }

    @Test func `a file that cannot be written to its path is at the endpoint's fallback`() async throws {
        let server = try serving()
        let client = try client(server)
        let spare = folder.path

        let file = try await client.send(GetFile(downloadPath: folder.file("no/lake")) { $0.fallback = spare })

        #expect(file == DownloadedFile(path: folder.file("lake"), byteCount: 50_000))
        #expect(try folder.read("lake") == content && server.requests.count == 1)
    }

    @Test func `without validators a download goes on where the endpoint says how many bytes to compare`() async throws
    {
        let (plain, compared) = try (serving(cut: 20_000), serving(cut: 20_000))
        let (first, second) = (folder.file("first"), folder.file("second"))
        for (server, path, overlap) in [(plain, first, nil), (compared, second, ByteCount.bytes(100))] {
            let client = try client(server)
            let endpoint = GetFile(downloadPath: path) { $0.overlap = overlap }
            let broken = await #expect(throws: PlugboardError.self) { try await client.send(endpoint) }
            let file = try await client.send(endpoint)
            #expect(broken?.code == .bodyCut && file.byteCount == 50_000)
        }

        #expect(plain.requests.map { $0["Range"] } == [nil, nil])
        #expect(compared.requests.map { $0["Range"] } == [nil, "bytes=19900-"])
        #expect(try folder.read("first") == content && folder.read("second") == content)
    }
}
