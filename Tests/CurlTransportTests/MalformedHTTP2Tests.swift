import PlugboardCurl
import PlugboardTransport
import TestSupport
import Testing

/// RFC 9113 §8.1.1: a malformed response is an error of its stream. It is no lost connection, so that nothing sends
/// the request again.
@Suite struct MalformedHTTP2Tests {
    private static let options: RequestOptions = {
        var options = RequestOptions()
        options.httpVersion = .http2PriorKnowledge
        return options
    }()

    /// A literal field with a literal name (RFC 7541 §6.2.2).
    private static func field(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    /// Heads after ":status: 200".
    static let heads: [[UInt8]] = [
        [0x88] + field("connection", "close"), [0x88] + field("Set-Cookie", "secret"),
        [0x88] + field("transfer-encoding", "chunked"), [0x88] + field("content-length", "x"), [0x88, 0x88],
        field("x-status", "none"),
    ]

    @Test(arguments: heads, [Method.get, .post])
    func `a malformed head is told as such`(_ head: [UInt8], _ method: Method) async throws {
        let server = try LoopbackServer(
            .http2 { connection in
                try connection.write(.headers, flags: 0x5, stream: connection.readRequest(), payload: head)
                try connection.connection.waitForClose()
            })
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(method, server.url(), options: Self.options)

        #expect(outcome.error?.code == .transportProtocol, "\(outcome.error as Any)")
        #expect(outcome.error.map { "\($0)".contains("secret") } == false)
    }

    /// Frames that are an error of the connection (RFC 9113 §5.4.1), and what each is.
    static let frames: [(Script.FrameType, stream: UInt32, payload: [UInt8], String)] = [
        (.data, 0, [1], "DATA without a stream"), (.settings, 0, [1, 2, 3], "settings of a wrong length"),
        (.headers, 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "a head that is no HPACK"),
        (.windowUpdate, 0, [0, 0, 0, 0], "a window that grows by 0"), (.data, 9, [1], "DATA of an idle stream"),
        (.data, 1, [1], "DATA before the head"),
    ]

    @Test(arguments: frames, [Method.get, .post])
    func `a frame that is an error of the connection is not told as a lost connection`(
        _ frame: (type: Script.FrameType, stream: UInt32, payload: [UInt8], name: String), _ method: Method
    ) async throws {
        let server = try LoopbackServer(
            .http2 { connection in
                _ = try connection.readRequest()
                try connection.write(frame.type, flags: 0x4, stream: frame.stream, payload: frame.payload)
                // Up to the client's GOAWAY.
                while try connection.readFrame().type != .goAway {}
            })
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(method, server.url(), options: Self.options)

        #expect(outcome.error?.code == .transportProtocol, "\(frame.name): \(outcome.error as Any)")
    }

    @Test func `a connection that the server closes without a response is told as lost`() async throws {
        let server = try LoopbackServer(.http2 { connection in _ = try connection.readRequest() })
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(.get, server.url(), options: Self.options)

        #expect(outcome.error?.code == .transportReset)
    }

    @Test(arguments: [Method.get, .post])
    func `a stream that the server resets with PROTOCOL_ERROR is not told as a lost connection`(
        _ method: Method
    ) async throws {
        let server = try LoopbackServer(
            .http2 { connection in
                try connection.reset(connection.readRequest(), code: 1)
                try connection.connection.waitForClose()
            })
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(method, server.url(), options: Self.options)

        #expect(outcome.error?.code == .transportProtocol)
    }

    @Test(
        .enabled(if: CurlAbilities.current.readsEarlyHTTP2Responses, "this libcurl loses such a response"),
        arguments: [Method.get, .post], [UInt32(0), 1, 2, 7, 8, 13])
    func `what came in one flight with the reset of its stream is read`(_ method: Method, code: UInt32) async throws {
        let server = try LoopbackServer(
            .http2 { connection in
                let stream = try connection.readRequest()
                let head: [UInt8] = [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88]
                let body = [0, 0, 4, 0, 0, 0, 0, 0, 1] + Array("body".utf8)
                let reset = [0, 0, 4, 3, 0] + Script.bigEndian(stream) + Script.bigEndian(code)
                try connection.connection.write(head + body + reset)
                try connection.connection.waitForClose()
            })
        let client = Client()
        defer { server.stop() }

        let outcome = try await client.send(method, server.url(), options: Self.options)

        #expect(outcome.status == 200)
        #expect(outcome.text == "body")
        #expect(outcome.error?.code == (code == 0 ? nil : .bodyCut))
    }
}
