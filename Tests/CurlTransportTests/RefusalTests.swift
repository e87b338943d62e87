import PlugboardTransport
import TestSupport
import Testing

@testable import PlugboardCurl

/// RFC 9113 §8.7: a server that refuses a stream speaks HTTP/2 all the same.
@Suite struct RefusalTests {
    private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

    /// RST_STREAM of the first stream.
    private static func reset(_ code: UInt8) -> [UInt8] { [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, code] }

    /// Sends a request that the server ends with an error code. Braces are longer in Huffman's coding, so that the
    /// server prints them.
    private func sendInVain(
        _ method: Method, ending code: UInt8, _ server: TLSTerminal, _ client: Client, _ options: RequestOptions,
        endsConnection: Bool = false
    ) async throws -> Client.Outcome {
        let (_, record) = try await client.begin(
            method, "https://127.0.0.1:\(await server.port())/first", fields: Fields(["X-Mark": "{{{{"]),
            options: options)
        try await server.seen("{{{{")
        server.type(Self.settings + Self.reset(code))
        if endsConnection {
            // Not before the client tries again on another connection. It keeps the first, and the server has one at a
            // time.
            try await server.hasConnections(2)
            server.type("q\n")
        }
        return try await client.finish(record)
    }

    private var options: RequestOptions {
        get throws {
            var options = RequestOptions()
            options.tls.ca = try CertificateAuthority.shared().certificate
            return options
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [Method.post, .get])
    func `a host that refused a stream is asked over HTTP2 again`(_ method: Method) async throws {
        let server = try TLSTerminal(protocols: "h2,http/1.1")
        defer { server.stop() }
        let client = Client()
        let options = try options
        let refused = try await sendInVain(method, ending: 7, server, client, options)

        let (_, again) = try await client.begin(
            method, "https://127.0.0.1:\(await server.port())/again", fields: Fields(["X-Mark": "}}}}"]),
            options: options)
        try await server.seen("}}}}")
        // ":status: 200", which ends the stream.
        server.type(Self.settings + [0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88])
        let answered = try await client.finish(again)

        #expect(refused.error != nil)
        #expect(answered.head?.version == .http2)
    }

    @Test(
        .enabled(if: !CurlAbilities.current.sendsLongBodiesOverHTTP2, "this libcurl sends such bodies"),
        .timeLimit(.minutes(1)))
    func `a body that this libcurl sends by HTTP1 only names that where the server demands HTTP2`() async throws {
        let server = try TLSTerminal(protocols: "h2")
        defer { server.stop() }
        let client = Client()
        var options = RequestOptions()
        options.tls.ca = try CertificateAuthority.shared().certificate

        let outcome = try await client.send(
            .put, "https://127.0.0.1:\(await server.port())/", body: .text(String(repeating: "x", count: 65_536)),
            options: options)

        #expect(outcome.error?.code == .transportTLS)
        #expect(outcome.error?.reason.contains("over 65535 bytes by HTTP/1.1") == true, "\(outcome.error as Any)")
        #expect(outcome.error?.reason.contains("--http2") == true)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [Method.post, .get])
    func `a host that demanded HTTP1 is asked over it`(_ method: Method) async throws {
        let server = try TLSTerminal(protocols: "h2,http/1.1")
        defer { server.stop() }
        let client = Client()
        let options = try options
        let refused = try await sendInVain(method, ending: 13, server, client, options, endsConnection: true)

        let (_, again) = try await client.begin(
            method, "https://127.0.0.1:\(await server.port())/again", options: options)
        try await server.seen("\(method.name) /again HTTP/1.1")
        server.type("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let answered = try await client.finish(again)

        #expect(refused.error != nil)
        #expect(answered.head?.version == .http11)
    }
}
