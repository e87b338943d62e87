import PlugboardMessages
import Testing

struct ResolvedURLTests {
    /// RFC 3986 §5.4.1 and §5.4.2, all of them. An empty path of http is a slash (§6.2.3).
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
    ])
    func `the examples of RFC 3986 §5.4 hold`(reference: String, url: String) {
        #expect(URLParts.resolve(reference, against: "http://a/b/c/d;p?q") == url)
    }

    @Test(
        arguments: [
            ("HTTP://LOCALHOST:80/%7ea/%2e%2E/%c3%b6", "http://localhost/%C3%B6"), ("//B.Test.", "https://b.test./"),
            ("//b.test:443", "https://b.test/"), ("//b.test:80", "https://b.test:80/"),
            ("//0x7f.1/", "https://127.0.0.1/"),
            ("x", "https://u:p@a.test/x"), ("//v@b.test/", "https://v@b.test/"), ("/a b", "https://u:p@a.test/a%20b"),
            ("/caf\u{e9}?\u{e9}#\u{e9}", "https://u:p@a.test/caf%C3%A9?%C3%A9#%C3%A9"),
            ("/a%", "https://u:p@a.test/a%"), ("//v@\u{301}b.test/", nil), ("\u{301}", "https://u:p@a.test/%CC%81"),
        ] as [(String, String?)])
    func `a resolved URL is in normal form`(reference: String, url: String?) {
        #expect(URLParts.resolve(reference, against: "HTTPS://u:p@A.test:443") == url)
    }

    @Test(arguments: [
        ("/d?sig=a%2db%c3", "http://a.test/d?sig=a%2db%c3"), ("%7e/%c3%a9#%7e", "http://a.test/x/%7e/%c3%a9#%7e"),
        ("../%2e%2e/y/./z", "http://a.test/%2e%2e/y/z"), ("//B.Test:80/%41", "http://b.test/%41"),
        ("?%7E", "http://a.test/x/%79?%7E"), ("/a b", "http://a.test/a%20b"),
    ])
    func `without normalizing, percent-encoding is not changed`(reference: String, url: String) {
        #expect(URLParts.resolve(reference, against: "http://a.test/x/%79", normalizing: false) == url)
    }

    @Test(arguments: [
        "//b\u{fc}cher.test/", "//a b/", "//a:99999/", "///x", "1x:y", "/a\u{0}", "http:/.//b.test/", "//u@/",
    ])
    func `an invalid reference is not resolved`(reference: String) {
        #expect(URLParts.resolve(reference, against: "http://a.test/") == nil)
    }

    @Test func `a reference is not resolved against an invalid base`() {
        #expect(URLParts.resolve("x", against: "/y") == nil)
        #expect(URLParts.resolve("x", against: "http://b\u{fc}cher.test/") == nil)
    }
}
