import PlugboardCurl
import PlugboardTransport
import TestSupport
import Testing

@Suite(.enabled(if: NginxServer.isAvailable)) struct OptionTests {
    private func trusting(_ server: NginxServer, _ change: (inout RequestOptions) -> Void = { _ in }) -> RequestOptions
    {
        var options = RequestOptions()
        options.tls.ca = server.authority.certificate
        change(&options)
        return options
    }

    @Test func `a private authority is trusted by the requests that name it only`() async throws {
        let server = try NginxServer.shared()
        let client = Client()

        let trusted = try await client.send(.get, server.url("/hundred.txt", .tls), options: trusting(server))
        let untrusted = try await client.send(.get, server.url("/hundred.txt", .tls))

        #expect(trusted.body?.count == 100)
        #expect(trusted.head?.version == .http2)
        #expect(untrusted.error?.code == .transportTLSCertificate)
    }

    @Test(arguments: [NginxServer.Door.tlsExpired, .tlsSelfSigned])
    func `an invalid certificate is refused unless verification is off`(door: NginxServer.Door) async throws {
        let server = try NginxServer.shared()
        let client = Client()

        let refused = try await client.send(.get, server.url("/hundred.txt", door), options: trusting(server))
        let blind = try await client.send(
            .get, server.url("/hundred.txt", door), options: trusting(server) { $0.tls.verify = false })

        #expect(refused.error?.code == .transportTLSCertificate)
        #expect(blind.status == 200)
    }

    @Test func `a request with a wrong pin is refused although the certificate is valid`() async throws {
        let server = try NginxServer.shared()
        let client = Client()
        let (right, wrong) = (server.authority.server.pin, server.authority.client.pin)

        let bound = try await client.send(
            .get, server.url("/hundred.txt", .tls), options: trusting(server) { $0.tls.pins = [wrong, right] })
        let unbound = try await client.send(
            .get, server.url("/hundred.txt", .tls), options: trusting(server) { $0.tls.pins = [wrong] })

        #expect(bound.status == 200)
        #expect(unbound.error?.code == .transportTLS)
    }

    @Test func `a client's certificate is shown`() async throws {
        let server = try NginxServer.shared()
        let client = Client()
        let url = server.url("/hundred.txt", .tlsClientCertificate)

        let without = try await client.send(.get, url, options: trusting(server))
        let with = try await client.send(
            .get, url,
            options: trusting(server) {
                $0.tls.certificate = server.authority.client.certificate
                $0.tls.key = server.authority.client.key
            })
        let missing = try await client.send(
            .get, url, options: trusting(server) { $0.tls.certificate = "/nowhere.pem" })

        #expect(without.status == 400)
        #expect(with.status == 200)
        #expect(missing.error?.code == .requestOption)
    }

    @Test func `connectTo changes the address and keeps the name of the host`() async throws {
        let server = try NginxServer.shared()
        let client = Client()
        let port = server.port(.tls)

        let outcome = try await client.send(
            .get, "https://good.test:\(port)/hundred.txt",
            options: trusting(server) { $0.connectTo = ["good.test:\(port)": "127.0.0.1:\(port)"] })
        let malformed = try await client.send(
            .get, "https://good.test:\(port)/", options: trusting(server) { $0.connectTo = ["": ""] })

        #expect(outcome.status == 200)
        #expect(malformed.error?.code == .requestOption)
    }

    @Test(arguments: ["GOOD.test", "good.test."])
    func `each request goes where the entry of its own host and port says`(spelling: String) async throws {
        let first = try LoopbackServer.responding { _ in ServerResponse(body: "first") }
        let second = try LoopbackServer.responding { _ in ServerResponse(body: "second") }
        defer { for server in [first, second] { server.stop() } }
        let client = Client()
        var options = RequestOptions()
        options.connectTo = [
            "\(spelling):80": "127.0.0.1:\(first.port)", "good.test:81": "localhost:\(second.port)",
            "127.0.0.1:\(first.port)": "127.0.0.1:\(second.port)",
        ]

        var words: [String?] = []
        for url in [
            "http://good.test/", "http://good.test:81/", "http://127.0.0.1:\(first.port)/",
            "http://127.0.0.1:\(second.port)/", "http://good.test/",
        ] { words.append(try await client.send(.get, url, options: options).text) }

        #expect(words == ["first", "second", "second", "second", "first"])
    }

    @Test(arguments: [
        (RequestOptions.HTTPVersion.any, NginxServer.Door.tls, ResponseHead.Version.http2),
        (.http1, .tls, .http11), (.http2, .tls, .http2), (.any, .tlsHTTP1, .http11),
        (.http2PriorKnowledge, .plainHTTP2, .http2), (.any, .plain, .http11),
    ])
    func `the requested version of HTTP is used`(
        asked: RequestOptions.HTTPVersion, door: NginxServer.Door, spoken: ResponseHead.Version
    ) async throws {
        let server = try NginxServer.shared()
        let client = Client()

        let outcome = try await client.send(
            .post, server.url("/echo", door), body: .text("x"), options: trusting(server) { $0.httpVersion = asked })

        #expect(outcome.error == nil)
        #expect(outcome.head?.version == spoken)
    }

    @Test(arguments: [NginxServer.Door.tls, .plainHTTP2, .tlsHTTP1], [false, true])
    func `a body goes up in every version, of known length or not`(
        door: NginxServer.Door, isKnown: Bool
    ) async throws {
        let server = try NginxServer.shared()
        let client = Client()
        let options = trusting(server) { $0.httpVersion = door == .plainHTTP2 ? .http2PriorKnowledge : .any }
        let pieces = (0..<50).map { String(repeating: "\($0),", count: 2000) }
        let length = pieces.reduce(0) { $0 + $1.utf8.count }
        let url = server.url("/store/\(door.rawValue)-\(isKnown)", door)

        let source = PiecesSource(pieces, length: isKnown ? length : nil)
        let stored = try await client.send(.put, url, body: Body(source), options: options)
        let read = try await client.send(.get, url, options: options)

        #expect(stored.error == nil)
        #expect(stored.status == 201 || stored.status == 204)
        #expect(read.text == pieces.joined())
    }

    @Test func `requests share an HTTP2 connection`() async throws {
        let server = try NginxServer.shared()
        let client = Client()
        let options = trusting(server)

        let connections = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let text = try await client.send(.get, server.url("/connection", .tls), options: options).text
                    return text?.split(separator: " ").first.map(String.init)
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }

        #expect(connections.count == 1)
    }

    @Test func `options of one request do not stay for the next`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "direct") }
        let closed = try ClosedPort()
        let client = Client()
        var options = RequestOptions()
        options.proxy = "http://127.0.0.1:\(closed.port)"
        defer { server.stop() }

        let proxied = try await client.send(.get, server.url(), options: options)
        let direct = try await client.send(.get, server.url())

        #expect(proxied.error != nil)
        #expect(direct.text == "direct")
    }

    @Test func `an unknown interface or address, or an impossible IP version, is an error`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "x") }
        let client = Client()
        var bad = RequestOptions()
        bad.interface = "nothing0"
        var good = RequestOptions()
        good.interface = "127.0.0.1"
        var v4 = RequestOptions()
        v4.ipVersion = .v4
        defer { server.stop() }

        let refused = try await client.send(.get, server.url(), options: bad)
        let bound = try await client.send(.get, server.url(), options: good)
        let family = try await client.send(.get, "http://localhost:\(server.port)/", options: v4)

        #expect(refused.error?.code == .requestOption)
        #expect(
            refused.error?.reason == "The network interface for 127.0.0.1:\(server.port) cannot be used. Check "
                + "request.options.interface or kernel.interface (on the command line --interface).")
        #expect(bound.text == "x")
        #expect(family.text == "x")
    }

    @Test func `files of certificates that cannot be used are told with the names of their options`() async throws {
        let server = try LoopbackServer { connection in try connection.waitForClose() }
        defer { server.stop() }
        let client = Client()
        let folder = try TemporaryFolder()
        let text = try folder.write("text.pem", "no certificate")
        var (authorities, absent, certificate) = (RequestOptions(), RequestOptions(), RequestOptions())
        authorities.tls.ca = text
        absent.tls.ca = folder.file("absent.pem")
        certificate.tls.certificate = text

        var errors: [PlugboardError?] = []
        for options in [authorities, absent, certificate] {
            errors.append(try await client.send(.get, "https://127.0.0.1:\(server.port)/", options: options).error)
        }

        #expect(errors.allSatisfy { $0?.code == .requestOption })
        let name = "127.0.0.1:\(server.port)"
        let authority =
            "The file of trusted certificates for \(name) cannot be read, or holds no certificate in PEM form. "
            + "Check request.options.tls.ca or kernel.tls.ca (on the command line --cacert)."
        #expect(
            errors.map { $0?.reason } == [
                authority, authority,
                "The client's certificate or key for \(name) cannot be used. Each must be a readable file in PEM form. "
                    + "Check request.options.tls.certificate and request.options.tls.key, or kernel.tls.certificate and kernel.tls.key "
                    + "(on the command line --cert and --key).",
            ])
    }

    @Test func `a speed limit slows a download`() async throws {
        // libcurl looks at the limit after a hundred reads of 16 KiB, so that a smaller body may come at once.
        let server = try LoopbackServer.responding { _ in ServerResponse(body: [UInt8](repeating: 0x78, count: 4 << 20))
        }
        defer { server.stop() }
        let client = Client()
        var options = RequestOptions()
        options.speed.download = .mebibytes(8)

        let begun = ContinuousClock.now
        let outcome = try await client.send(.get, server.url("/"), options: options)

        #expect(outcome.body?.count == 4 << 20)
        #expect(ContinuousClock.now - begun >= .milliseconds(100))
    }
}
