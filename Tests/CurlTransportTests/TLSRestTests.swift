import PlugboardTransport
import TestSupport
import Testing

/// RFC 9112 §9.2: bytes behind a response belong to no other response, also if the TLS library has them already.
@Suite struct TLSRestTests {
    @Test(.timeLimit(.minutes(1)))
    func `bytes in the TLS record of a body's end are not the next response`() async throws {
        let server = try TLSTerminal()
        defer { server.stop() }
        let url = "https://127.0.0.1:\(await server.port())"
        let client = Client()
        var options = RequestOptions()
        options.tls.ca = try CertificateAuthority.shared().certificate
        let (_, first) = await client.begin(.get, "\(url)/first", options: options)
        await server.seen("GET /first")
        server.type("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
        try await first.headOrEnd.opened()
        // A record of its own, of which libcurl reads three bytes.
        server.type("ownHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL")
        let own = try await client.finish(first)

        let (_, second) = await client.begin(.get, "\(url)/second", options: options)
        await server.seen("GET /second")
        server.type("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nREAL")
        let next = try await client.finish(second)

        #expect(own.text == "own")
        #expect(next.text == "REAL", "\(next.error as Any)")
    }
}
