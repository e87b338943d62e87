import PlugboardMessages
import Testing

struct NormalURLTests {
    @Test(arguments: [
        ("http://a.test/x?y=1", "http://a.test/x?y=1"),
        ("HTTP://A.Test/X", "http://a.test/X"),
        ("http://a.test", "http://a.test/"),
        ("http://a.test?q=1", "http://a.test/?q=1"),
        ("http://a.test:80/", "http://a.test/"),
        ("http://a.test:/", "http://a.test/"),
        ("https://a.test:443/", "https://a.test/"),
        ("https://a.test:80/", "https://a.test:80/"),
        ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"),
        ("http://a.test:08080/", "http://a.test:8080/"),
        ("http://a.test/x#part", "http://a.test/x"),
        ("http://a.test/%7euser/%2f%c3%a4", "http://a.test/~user/%2F%C3%A4"),
        ("http://a.test/a b\u{e4}", "http://a.test/a%20b%C3%A4"),
        ("http://a.test/%", "http://a.test/%"),
        ("http://a.test/%zz%4", "http://a.test/%zz%4"),
        ("http://a.test/%2%46", "http://a.test/%2%46"),
        ("http://[2001:DB8::0:1]/", "http://[2001:db8::1]/"),
        ("http://a.test/?a=1?b#c?d", "http://a.test/?a=1?b"),
        ("http://A.Test.:80/", "http://a.test/"),
        ("http://a.test/b/%2e%2E/./c/.", "http://a.test/b/.././c/."),
        ("http://a.test/..", "http://a.test/.."),
        ("http://a.test/%%34%31", "http://a.test/%%34%31"),
        ("http://a.test/x?y=/../z", "http://a.test/x?y=/../z"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://a_b.test/", "http://a_b.test/"),
    ])
    func `equal URLs have one form (RFC 3986 §6.2.2, RFC 9110 §4.2.3)`(url: String, expected: String) {
        #expect(NormalURL(url)?.text == expected)
    }

    @Test(arguments: [
        "", "/x", "ftp://a.test/", "http://", "http://user:secret@a.test/", "http://a.test:99999/",
        "http://b\u{fc}cher.test/",
        "http://a..test/", "http://1.2.3.4.5/",
    ])
    func `a URL with a user, or one that is not absolute and of http, has no normal form`(url: String) {
        #expect(NormalURL(url) == nil)
    }
}
