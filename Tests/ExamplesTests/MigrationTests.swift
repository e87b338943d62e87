import Plugboard
import Synchronization
import TestSupport
import Testing

@testable import ExampleMigration

/// What the functions of `Examples/Migration` do.
struct MigrationTests {
    @Test func `a body comes as bytes, and another status than 2xx is the program's own error`() async throws {
        let server = try LoopbackServer.responding { request in
            ServerResponse(status: request.path == "/absent" ? 404 : 200, body: "hello")
        }
        defer { server.stop() }
        let kernel = try Kernel()

        let bytes = try await bytes(of: server.url("/"), with: kernel)
        let error = await #expect(throws: PlugboardError.self) {
            try await ExampleMigration.bytes(of: server.url("/absent"), with: kernel)
        }

        #expect(bytes.text == "hello")
        #expect(error?.code == "program.status")
        await kernel.shutDown()
    }

    @Test func `JSON and files are sent as they are`() async throws {
        let server = try LoopbackServer.responding { ServerResponse(body: $0.body) }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let file = try folder.write("file", "content")
        let kernel = try Kernel()

        let posted = try await post("[1]", to: server.url("/"), with: kernel).body.text()
        let uploaded = try await upload(file, to: server.url("/"), with: kernel).body.text()

        #expect(posted == "[1]" && uploaded == "content")
        #expect(server.requests.first?["Content-Type"] == "application/json")
        #expect(server.requests.map(\.method) == ["POST", "PUT"])
        await kernel.shutDown()
    }

    @Test func `a download tells its progress, and its pieces are the body`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: [UInt8](repeating: 7, count: 100_000)) }
        defer { server.stop() }
        let kernel = try Kernel()
        let last = Mutex<(Int, Int?)>((0, nil))

        var count = 0
        try await download(server.url("/"), with: kernel, write: { count += $0.count }) { bytes in
            last.withLock { $0 = (bytes.received, bytes.toReceive) }
        }

        #expect(count == 100_000)
        #expect(last.withLock { $0 } == (100_000, 100_000))
        await kernel.shutDown()
    }

    @Test func `texts of many requests come in their order`() async throws {
        let server = try LoopbackServer.responding { ServerResponse(body: $0.path) }
        defer { server.stop() }
        let kernel = try Kernel()

        let texts = try await texts(of: (0..<8).map { server.url("/\($0)") }, with: kernel)

        #expect(texts == (0..<8).map { "/\($0)" })
        await kernel.shutDown()
    }
}
