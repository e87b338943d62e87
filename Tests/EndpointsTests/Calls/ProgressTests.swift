import Plugboard
import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import Synchronization
import TestSupport
import Testing

/// Progress, suspension and resumption of calls, over the kernel's own transport.
@Suite struct ProgressTests {
    private struct Upload: Endpoint {
        typealias Response = Bytes
        let url: String
        let count: Int
        var method: Method { .post }
        var path: String { url }
        var body: EndpointBody { .bytes(Bytes([UInt8](repeating: 0x61, count: count))) }
    }

    private struct Download: Endpoint {
        typealias Response = DownloadedFile
        let url: String
        var downloadPath = ""
        var path: String { url }
    }

    @Test func `an upload reports its progress with totals of both directions, by callback, sequence and delegate`()
        async throws
    {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: [UInt8](repeating: 0x62, count: 300_000))
        }
        defer { server.stop() }
        let seen = Mutex<[TransferProgress]>([])
        final class Delegate: CallDelegate {
            let last = Mutex(TransferProgress())
            func call(_ call: any AnyCall, didProgress progress: TransferProgress) { last.withLock { $0 = progress } }
        }
        let delegate = Delegate()
        let client = Client(kernel: try Kernel())

        let call = client.call(Upload(url: server.url("/"), count: 200_000), isStarted: false)
            .onProgress { progress in seen.withLock { $0.append(progress) } }.delegate(delegate)
        let stream = call.progress
        async let streamed = stream.reduce(into: []) { $0.append($1) }
        _ = try await call.value

        let whole = TransferProgress(sent: 200_000, toSend: 200_000, received: 300_000, toReceive: 300_000)
        #expect(seen.withLock { $0.last } == whole)
        #expect(await streamed.last == whole)
        #expect(delegate.last.withLock { $0 } == whole)
        #expect(call.currentProgress == whole)
        #expect(await call.progress.reduce(into: []) { $0.append($1) } == [whole])
    }

    @Test func `the progress of a body that was mended counts all of it`() async throws {
        let content = RangeServer.content(100_000)
        let server = try RangeServer { number, request in
            RangeServer.correct(request, content, cut: number == 1 ? 40_000 : nil)
        }
        let folder = try TemporaryFolder()
        let client = Client(kernel: try Kernel(plugins: [.resume]))

        let call = client.call(Download(url: server.url, downloadPath: folder.file("file")))
        _ = try await call.value

        #expect(server.requests.count == 2)
        #expect(call.currentProgress == TransferProgress(sent: 0, toSend: 0, received: 100_000, toReceive: 100_000))
    }

    @Test func `a download to a file reports its progress`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: [UInt8](repeating: 0x62, count: 500_000))
        }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let client = Client(kernel: try Kernel())

        let call = client.call(Download(url: server.url("/"), downloadPath: folder.file("a")))
        let file = try await call.value

        #expect(file.byteCount == 500_000)
        #expect(call.currentProgress.received == 500_000)
        #expect(call.currentProgress.toReceive == 500_000)
    }

    @Test func `a call that is suspended before it is sent is sent when it is resumed`() async throws {
        let transport = ScriptedTransport { _, _ in .respond(200, body: .text("[]")) }
        let client = Client(
            kernel: try Kernel(transport: transport), settings: ClientSettings(base: "https://a.test"))
        let call = client.call(TopicList(board: "a"), isStarted: false)
        call.suspend()
        call.start()
        let state = call.state

        // Requests of the same kernel that follow have their responses, and the suspended one is not sent.
        for _ in 0..<3 { _ = try await client.send(TopicList(board: "b")) }
        let sent = transport.requests.count
        call.resume()
        _ = try await call.value

        #expect(state == .suspended)
        #expect(sent == 3)
        #expect(transport.requests.count == 4)
        #expect(call.state == .succeeded)
    }

    @Test func `a call that is suspended while its response comes goes on when it is resumed`() async throws {
        let gate = Gate()
        let server = try LoopbackServer(
            .chunked([String(repeating: "a", count: 100), String(repeating: "b", count: 100)], gate: gate))
        defer { server.stop() }
        let client = Client(kernel: try Kernel())
        let call = client.call(Upload(url: server.url("/"), count: 10))
        gate.admit()
        _ = try await server.requests(atLeast: 1)

        call.suspend()
        let state = call.state
        gate.open()
        call.resume()
        let bytes = try await call.value

        #expect(state == .suspended)
        #expect(bytes.count == 200)
    }

    @Test func `a suspended call can be cancelled`() async throws {
        let transport = ScriptedTransport()
        let client = Client(
            kernel: try Kernel(transport: transport), settings: ClientSettings(base: "https://a.test"))
        let call = client.call(TopicList(board: "a"), isStarted: false)
        call.suspend()
        call.start()

        call.cancel()
        await call.ended()
        call.resume()

        #expect(call.state == .cancelled)
        #expect(transport.requests.isEmpty)
        #expect(client.calls.count == 0)
    }
}
