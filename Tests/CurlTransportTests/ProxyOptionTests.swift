import PlugboardCurl
import PlugboardTransport
import TestSupport
import Testing

@Suite(.enabled(if: NginxServer.isAvailable)) struct ProxyOptionTests {
    @Test func `a proxy gets the request and its own credentials, an origin behind a tunnel does not`() async throws {
        let origin = try LoopbackServer.responding { _ in ServerResponse(body: "origin") }
        let proxy = try LoopbackServer { connection in
            let request = try connection.readRequest()
            if request.method == "CONNECT" {
                try connection.write("HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\nX-Proxy: 1\r\n\r\n")
            } else {
                try connection.respond(body: "proxy")
            }
        }
        let client = Client()
        var options = RequestOptions()
        options.proxy = "http://127.0.0.1:\(proxy.port)"
        let fields = Fields(["Proxy-Authorization": "Basic eDp5", "X-Own": "1"])
        defer { origin.stop() }
        defer { proxy.stop() }

        let plain = try await client.send(.get, origin.url("/?a"), fields: fields, options: options)
        let tunnel = try await client.send(.get, "https://origin.test/", fields: fields, options: options)
        options.noProxy = "127.0.0.1"
        let direct = try await client.send(.get, origin.url(), fields: fields, options: options)

        #expect(plain.text == "proxy")
        #expect(proxy.requests[0].target == origin.url("/?a"))
        #expect(proxy.requests[0]["Proxy-Authorization"] == "Basic eDp5")
        #expect(tunnel.error?.code == .transportProxy)
        #expect(tunnel.head == nil)
        #expect(proxy.requests[1].method == "CONNECT")
        #expect(proxy.requests[1]["Proxy-Authorization"] == "Basic eDp5")
        #expect(proxy.requests[1]["X-Own"] == nil)
        #expect(direct.text == "origin")
        #expect(origin.requests[0]["Proxy-Authorization"] == nil)
    }

    @Test func `an error about an invalid proxy does not quote it`() async throws {
        let client = Client()
        var options = RequestOptions()
        options.proxy = "http://user:secret@[proxy:80"

        let outcome = try await client.send(.get, "http://127.0.0.1/", options: options)

        #expect(outcome.error?.code == .transportProxy)
        #expect(outcome.error?.description.contains("secret") == false)
    }

    @Test(arguments: ["http", "https"])
    func `an untrusted certificate of a TLS proxy is told as the proxy's`(scheme: String) async throws {
        var options = RequestOptions()
        options.proxy = "https://127.0.0.1:\(try NginxServer.shared().port(.tlsSelfSigned))"

        let outcome = try await Client().send(.get, "\(scheme)://far.test:1/", options: options)

        #expect(outcome.error?.code == .transportTLSCertificate)
        #expect(
            outcome.error?.reason == "The certificate of the proxy for far.test:1 is not trusted. Nothing was sent.")
    }

    @Test func `a proxy whose name cannot be resolved is told with the names of the options`() async throws {
        var options = RequestOptions()
        options.proxy = "http://proxy.invalid:3128"

        let outcome = try await Client().send(.get, "http://127.0.0.1:1/", options: options)

        #expect(outcome.error?.code == .transportProxy)
        #expect(
            outcome.error?.reason == "The name of the proxy for 127.0.0.1:1 cannot be resolved. Check "
                + "request.options.proxy, kernel.proxy (on the command line --proxy), and the environment variables for "
                + "proxies.")
    }
}
