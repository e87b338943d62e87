import Plugboard
import TestSupport
import Testing

/// The transport adds to a head what `writing-plugins.md` says, and nothing else.
struct WireTests {
    @Test(arguments: [
        (Method.get, nil as String?, ["host"]), (.post, nil, ["content-length", "host"]),
        (.post, "hello", ["content-length", "host"]), (.delete, nil, ["host"]),
    ])
    func `a request has on the wire what plugins saw, Host and its framing`(
        method: PlugboardMessages.Method, body: String?, fields: [String]
    ) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        defer { server.stop() }
        let kernel = try Kernel(catalog: Catalog([]), log: .silent)

        _ = try await kernel.send(
            Request(method, server.url(), fields: ["X-Own": "1"], body: body.map { .text($0) }))

        let sent = try #require(server.requests.first)
        #expect(sent.fields.map { $0.name.lowercased() }.sorted() == (fields + ["x-own"]).sorted())
    }

    @Test
    func `a body of unknown length is sent in chunks, and a Content-Length of a plugin's gives way to the length`()
        async throws
    {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        defer { server.stop() }
        let kernel = try Kernel(catalog: Catalog([]), log: .silent)
        let pieces = AsyncStream {
            $0.yield(Bytes("hi")); $0.finish()
        }

        _ = try await kernel.send(Request(.put, server.url(), body: .stream(pieces)))
        _ = try await kernel.send(
            Request(.put, server.url(), fields: ["Content-Length": "2"], body: .text("hi")))

        #expect(server.requests.map { $0["transfer-encoding"] } == ["chunked", nil])
        #expect(server.requests.map { $0["content-length"] } == [nil, "2"])
    }
}
