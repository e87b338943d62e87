import PlugboardMessages
import Testing

@Suite struct OriginTests {
    @Test(arguments: [
        ("https://a.example", "https://a.example"), ("HTTPS://A.Example", "https://a.example"),
        ("https://a.example:443", "https://a.example"), ("http://a.example:443", "http://a.example:443"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://[0:0::1]:80", "http://[::1]"),
        ("http://[2001:DB8::0:1]", "http://[2001:db8::1]"), ("https://A.example.", "https://a.example"),
        ("http://0x7f.1", "http://127.0.0.1"), ("http://2130706433", "http://127.0.0.1"),
        ("http://0177.0.0.01", "http://127.0.0.1"), ("http://0XBEEF", "http://0.0.190.239"),
        ("http://[fe80::1%25eth0]", "http://[fe80::1%25eth0]"), ("http://[::ffff:1.2.3.4]", "http://[::ffff:1.2.3.4]"),
        ("http://a.example:00080", "http://a.example"),
        ("http://xn--bcher-kva.example", "http://xn--bcher-kva.example"),
    ])
    func `an origin has one normal form`(text: String, normal: String) {
        #expect(Origin(text)?.description == normal)
        #expect(Origin(text) == Origin(normal))
    }

    @Test(arguments: [
        "", "a.example", "ftp://a.example", "https:/a.example", "https://", "https://a.example/", "https://a.example:",
        "https://a.example:0", "https://a.example:65536", "https://a.example:+1", "https://me@a.example",
        "https://a.example?", "https://ä.example", "https://[::1", "https://::1", "https://[fe80::1%eth0]",
        "https://[]", "https://a b", "https://a.example..", "https://a..example", "https://.", "https://1.2.3.4.",
        "https://1.2.3.4.5", "https://256.1.1.1", "https://1.2.3.256", "https://4294967296", "https://08", "https://0x",
        "https://a.1", "https://[fe80::1%25]", "https://[fe80::1%25a%62]", "https://a%62.example", "https://[::1]x",
        "https://a:1:2",
    ])
    func `a text that is not exactly scheme, host and port is not an origin`(text: String) {
        #expect(Origin(text) == nil)
    }

    @Test(arguments: [
        ("https://me:pw@A.example/x?y@z#w", "https://a.example"), ("http://a.example:/", "http://a.example"),
        ("http://a.example?q", "http://a.example"), ("http://a]:b@a.example/", "http://a.example"),
        ("https://a.example/\u{301}@b.example", "https://a.example"),
        ("https://a.example?\u{301}:@b.example", "https://a.example"),
        ("http://a:b@[::1]", "http://[::1]"), ("http://[::1]:81/", "http://[::1]:81"),
    ])
    func `user, path, query and fragment do not belong to the origin of a URL`(url: String, origin: String) {
        #expect(Origin(url: url)?.description == origin)
    }

    @Test(arguments: ["ftp://example.com/", "/path", "http:///", "http://", "http:x", "http://:80/", "http://@/"])
    func `a URL without a host over http has no origin`(url: String) {
        #expect(Origin(url: url) == nil)
    }

    @Test func `a literal is an origin`() {
        let origin: Origin = "HTTPS://Api.Example.com:443"

        #expect(origin == Origin(url: "https://api.example.com/v2"))
    }

    @Test func `a literal that is no origin ends the program with what to write`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let origin: Origin = "api.example.com/v2"
            print(origin)
        }

        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("\"api.example.com/v2\" is not an origin. Write scheme://host"))
    }
}
