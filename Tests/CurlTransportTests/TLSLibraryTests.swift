import PlugboardTransport
import TestSupport
import Testing

@testable import PlugboardCurl

/// What libcurl's TLS library is asked directly.
@Suite struct TLSLibraryTests {
    private static let options: RequestOptions = {
        var options = RequestOptions()
        options.tls.ca = try? CertificateAuthority.shared().certificate
        return options
    }()

    @Test(
        .timeLimit(.minutes(1)), .enabled(if: TLSLibrary.isStrict, "this TLS library is not asked"),
        arguments: [true, false])
    func `a body that ends with its connection, but without close_notify, is cut if that is demanded`(
        isDemanded: Bool
    ) async throws {
        let server = try TLSTerminal()
        defer { server.stop() }
        var settings = CurlTransportSettings()
        settings.closeNotify = isDemanded
        let client = Client(settings)
        let (_, record) = try await client.begin(
            .get, "https://127.0.0.1:\(await server.port())/", options: Self.options)
        try await server.seen("GET /")
        server.type("HTTP/1.1 200 OK\r\n\r\nbody")
        try await record.headOrEnd.opened()

        // A process that is killed sends no close_notify.
        server.stop()
        let outcome = try await client.finish(record)

        #expect(outcome.error?.code == (isDemanded ? .bodyCut : nil))
        let advice = "set kernel.tls.closeNotify to false in the configuration"
        #expect(isDemanded == outcome.error?.reason.contains(advice) ?? false, "\(outcome.error as Any)")
        #expect(isDemanded || outcome.text == "body")
    }

    @Test(.enabled(if: NginxServer.isAvailable))
    func `a body that ends with its connection and close_notify is whole`() async throws {
        let server = try NginxServer.shared()
        let client = Client()
        var options = RequestOptions()
        options.tls.ca = server.authority.certificate

        let outcome = try await client.send(
            .get, server.url("/until-close/hundred.txt", .tlsHTTP1), fields: ["Accept-Encoding": "gzip"],
            options: options)

        #expect(outcome.head?.fields.contains("Content-Length") == false)
        #expect(outcome.head?.fields.contains("Transfer-Encoding") == false)
        #expect(outcome.error == nil && outcome.body?.isEmpty == false, "\(outcome.error as Any)")
    }

    @Test(
        .timeLimit(.minutes(1)), .enabled(if: TLSLibrary.isStrict, "this TLS library is not asked"),
        arguments: ["localhost", "127.0.0.1"])
    func `a certificate that names its host in the common name only is refused`(host: String) async throws {
        let authority = try CertificateAuthority.shared()
        let server = try TLSTerminal(identity: host == "localhost" ? authority.nameless : authority.namelessAddress)
        defer { server.stop() }
        let client = Client()
        let url = "https://\(host):\(try await server.port())/"

        let refused = try await client.send(.get, url, options: Self.options)

        #expect(refused.error?.code == .transportTLSCertificate)
        #expect(refused.error?.reason.contains("subjectAltName") == true, "\(refused.error as Any)")
    }

    @Test(.timeLimit(.minutes(1)))
    func `a certificate without subjectAltName is accepted if certificates are not verified`() async throws {
        let server = try TLSTerminal(identity: CertificateAuthority.shared().nameless)
        defer { server.stop() }
        let client = Client()
        var options = RequestOptions()
        options.tls.verify = false
        let (_, record) = try await client.begin(
            .get, "https://localhost:\(await server.port())/", options: options)
        try await server.seen("GET /")
        server.type("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody")

        #expect(try await client.finish(record).text == "body")
    }

    /// RFC 9112 §9.2: bytes behind a response belong to no other response.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            (Method.get, "204 No Content\r\n", ""), (.get, "304 Not Modified\r\nETag: \"1\"\r\n", ""),
            (.get, "200 OK\r\nContent-Length: 0\r\n", ""), (.head, "200 OK\r\nContent-Length: 3\r\n", ""),
            (.get, "200 OK\r\nTransfer-Encoding: chunked\r\n", "3\r\nown\r\n0\r\n\r\n"),
            (.get, "200 OK\r\nContent-Length: 3\r\n", "own"),
        ])
    func `bytes in the TLS record of a whole response are not the next response`(
        _ method: Method, head: String, body: String
    ) async throws {
        let server = try TLSTerminal()
        defer { server.stop() }
        let url = "https://127.0.0.1:\(try await server.port())"
        let client = Client()
        let (_, first) = await client.begin(method, "\(url)/first", options: Self.options)
        try await server.seen("/first HTTP/1.1")
        server.type("HTTP/1.1 \(head)\r\n\(body)HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL")
        let own = try await client.finish(first)

        let (_, second) = await client.begin(.get, "\(url)/second", options: Self.options)
        try await server.seen("GET /second")
        server.type("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nREAL")
        let next = try await client.finish(second)

        #expect(own.error == nil && (own.text ?? "") == (body.isEmpty ? "" : "own"))
        #expect(next.text == "REAL" && server.log.contains("CONNECTION CLOSED"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `bytes in the TLS record of a body's end are not the next response`() async throws {
        let server = try TLSTerminal()
        defer { server.stop() }
        let url = "https://127.0.0.1:\(try await server.port())"
        let client = Client()
        var options = RequestOptions()
        options.tls.ca = try CertificateAuthority.shared().certificate
        let (_, first) = await client.begin(.get, "\(url)/first", options: options)
        try await server.seen("GET /first")
        server.type("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
        try await first.headOrEnd.opened()
        // A record of its own, of which libcurl reads three bytes.
        server.type("ownHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL")
        let own = try await client.finish(first)

        let (_, second) = await client.begin(.get, "\(url)/second", options: options)
        try await server.seen("GET /second")
        server.type("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nREAL")
        let next = try await client.finish(second)

        #expect(own.text == "own")
        #expect(next.text == "REAL", "\(next.error as Any)")
    }
}
