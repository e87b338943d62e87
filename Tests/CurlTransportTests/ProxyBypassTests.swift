import PlugboardTransport
import TestSupport
import Testing

/// `RequestOptions.noProxy`.
@Suite struct ProxyBypassTests {
    @Test(arguments: [
        ("fd00::/8", "http://[fd12::1]/", true), ("fd00::/8", "http://[fe80::1]/", false),
        ("[fd00::]/8", "http://[fd12::1]/", true), ("2001:db8::/33", "http://[2001:db8:7fff::1]/", true),
        ("2001:db8::/33", "http://[2001:db8:8000::1]/", false), ("::1", "http://[::1]/", true),
        ("[::1]", "http://[0:0:0:0:0:0:0:1]/", true), ("::1", "http://[::2]/", false),
        ("fe80::1", "http://[fe80::1%25eth0]/", true), ("[::1]:81", "http://[::1]:81/", true),
        ("[::1]:81", "http://[::1]/", false), ("::/0", "http://[::1]/", true), ("::/0", "http://1.2.3.4/", false),
        ("10.0.0.0/8", "http://10.1.2.3/", true), ("10.0.0.0/8", "http://11.1.2.3/", false),
        ("192.168.0.0/23", "http://192.168.1.9/", true), ("192.168.0.0/23", "http://192.168.2.9/", false),
        ("127.0.0.1", "http://0x7f.1/", true), ("10.0.0.0/33", "http://10.0.0.0/", false),
        ("fd00::/129", "http://[fd00::]/", false), ("0.0.0.0/0", "http://8.8.8.8/", true),
        ("example.com", "http://example.com/", true), ("example.com", "http://a.EXAMPLE.com./", true),
        (".example.com", "http://example.com/", true), ("*.example.com", "http://a.example.com/", true),
        ("example.com", "http://notexample.com/", false), ("example.com:8080", "http://example.com:8080/", true),
        ("example.com:8080", "http://example.com/", false), ("a.test, b.test c.test", "https://c.test/", true),
        ("a.test,,b.test", "https://b.test/", true), ("*", "https://any.test/", true), ("", "https://any.test/", false),
        ("a.test,*", "https://any.test/", true), ("http://a.test", "http://a.test/", false),
    ])
    func `a host is compared with each accepted form`(list: String, url: String, isIn: Bool) throws {
        let origin = try #require(Origin(url: url))

        #expect(ProxyBypass(list).contains(origin) == isIn)
    }

    @Test func `a proxy is passed by for a network, and used again for other hosts with the same options`() async throws
    {
        let origin = try LoopbackServer.responding { _ in ServerResponse(body: "origin") }
        let proxy = try LoopbackServer.responding { _ in ServerResponse(body: "proxy") }
        defer { origin.stop() }
        defer { proxy.stop() }
        let client = Client()
        var options = RequestOptions()
        options.proxy = "http://127.0.0.1:\(proxy.port)"
        options.noProxy = "127.0.0.0/30,fd00::/8"

        let inside = try await client.send(.get, origin.url(), options: options)
        let outside = try await client.send(.get, "http://127.0.0.9:\(origin.port)/", options: options)
        let insideAgain = try await client.send(.get, origin.url(), options: options)

        #expect([inside.text, outside.text, insideAgain.text] == ["origin", "proxy", "origin"])
    }
}
