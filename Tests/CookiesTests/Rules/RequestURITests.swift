import TestSupport
import Testing

@testable import PlugboardCookies

struct RequestURITests {
    @Test(
        arguments: [
            ("http://example.com", false, "example.com", "/"),
            ("HTTPS://Example.COM/A/b?c=d#e", true, "example.com", "/A/b"),
            ("http://u:p@example.com:8080/x", false, "example.com", "/x"),
            ("http://a@b@example.com?q", false, "example.com", "/"),
            ("https://[::1]:443/", true, "[::1]", "/"), ("https://[0:0:0:0:0:0:0:1]/a", true, "[::1]", "/a"),
            ("http://example.com./a//b/", false, "example.com", "/a//b/"),
            ("http://0x7f.1/", false, "127.0.0.1", "/"),
            ("http://127.0.0.1#f", false, "127.0.0.1", "/"),
            ("http://a.test/%7Ejoe/%c3%a9?next=/%2F../x", false, "a.test", "/%7Ejoe/%c3%a9"),
            ("http://a.test/x/../%7Ea/./b/%2E%2e/c/.", false, "a.test", "/%7Ea/c/"),
            ("http://a.test/x/.%2E/%2ehidden/...", false, "a.test", "/%2ehidden/..."),
            ("http://a.test/%2", false, "a.test", "/%2"), ("http://a.test/x/%2e", false, "a.test", "/x/"),
        ] as [(String, Bool, String, String)])
    func `a URL gives security, host and path`(url: String, isSecure: Bool, host: String, path: String) {
        #expect(RequestURI(url) == RequestURI(isSecure: isSecure, host: host, path: Array(path.utf8)))
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com/", "http:/example.com", "http://", "http:///a", "http://:80/",
        "http://[::1/", "http://[x]/", "//example.com/", "file:///etc", "http://b\u{fc}cher.example/",
    ])
    func `a URL that is not http or https is refused`(url: String) {
        #expect(RequestURI(url) == nil)
    }

    @Test(
        arguments: [
            ("http://localhost/", true), ("http://a.localhost/", true), ("http://127.1.2.3:80/", true),
            ("http://[::1]/", true),
            ("http://127.example.com/", false), ("http://localhost.example.com/", false), ("http://10.0.0.1/", false),
        ] as [(String, Bool)])
    func `http to a loopback host is secure only if it is trusted`(url: String, isLoopback: Bool) {
        #expect(RequestURI(url, trustsLoopback: true)?.isSecure == isLoopback)
        #expect(RequestURI(url)?.isSecure == false)
    }

    @Test(
        arguments: [
            ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/", "/a/b"), ("//", "/"), ("//a", "/"),
            ("/a;b/c", "/a;b"),
        ] as [(String, String)])
    func `the default path ends before the last slash (§5.1.4)`(path: String, defaultPath: String) {
        let uri = RequestURI(isSecure: false, host: "a", path: Array(path.utf8))

        #expect(String(latin1: uri.defaultPath) == defaultPath)
    }

    @Test(
        arguments: [
            ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
            ("/a/b", "/a/", true), ("/a", "/a/", false), ("/ab", "/a", false), ("/A", "/a", false), ("/", "/a", false),
            ("/a%2Fb", "/a", false), ("//", "/", true),
        ] as [(String, String, Bool)])
    func `a path matches itself and its subpaths (§5.1.4)`(path: String, cookiePath: String, matches: Bool) {
        #expect(RequestURI.path(Array(path.utf8), matches: Array(cookiePath.utf8)) == matches)
    }

    @Test(
        arguments: [
            ("example.com", "example.com", true), ("www.example.com", "example.com", true), ("a.b.c", "c", true),
            ("example.com", "www.example.com", false), ("badexample.com", "example.com", false),
            ("example.com", "", false),
            ("example.com.", "example.com", false), ("example.com", "example.com.", false),
            ("1.2.3.4", "1.2.3.4", true), ("1.2.3.4", "3.4", false), ("1.2.3.4", "4", false), ("a.0x1f", "0x1f", false),
            ("[::1]", "[::1]", true), ("[::1]", "1]", false), ("a..example.com", "example.com", true),
        ] as [(String, String, Bool)])
    func `a host matches its domains, and an address matches only itself (§5.1.3)`(
        host: String, domain: String, matches: Bool
    ) {
        #expect(HostName.matches(host, domain: domain) == matches)
    }
}
