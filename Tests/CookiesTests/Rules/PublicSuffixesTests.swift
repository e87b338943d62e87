import Testing

@testable import PlugboardCookies

struct PublicSuffixesTests {
    private let suffixes = PublicSuffixes.system

    /// After the list's own test data (publicsuffix.org).
    @Test(
        arguments: [
            ("COM", nil), ("example.COM", "example.com"), ("WwW.example.COM", "example.com"), (".com", nil),
            (".example.com", nil),
            ("example", nil), ("example.example", "example.example"), ("a.b.example.example", "example.example"),
            ("biz", nil), ("b.domain.biz", "domain.biz"), ("uk.com", nil), ("a.b.example.uk.com", "example.uk.com"),
            ("jp", nil), ("ac.jp", nil), ("test.ac.jp", "test.ac.jp"), ("kyoto.jp", nil), ("ide.kyoto.jp", nil),
            ("a.b.ide.kyoto.jp", "b.ide.kyoto.jp"), ("c.kobe.jp", nil), ("b.c.kobe.jp", "b.c.kobe.jp"),
            ("www.city.kobe.jp", "city.kobe.jp"), ("ck", nil), ("test.ck", nil), ("b.test.ck", "b.test.ck"),
            ("www.www.ck", "www.ck"), ("食狮.com.cn", "食狮.com.cn"), ("www.食狮.公司.cn", "食狮.公司.cn"), ("公司.cn", nil),
            ("shishi.中国", "shishi.中国"), ("xn--85x722f.com.cn", "xn--85x722f.com.cn"),
            ("www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"), ("xn--fiqs8s", nil),
            ("WWW.BÜCHER.de", "bücher.de"), ("example.com.", "example.com"), ("a..com", nil), ("", nil), (".", nil),
            ("127.0.0.1", nil), ("[::1]", nil), ("example.com\u{0}", nil),
        ] as [(String, String?)])
    func `the registrable domain is one label below the public suffix`(host: String, name: String?) {
        #expect(suffixes.registrableDomain(of: host) == name)
    }

    @Test(
        arguments: [
            ("com", true), ("co.uk", true), ("example.com", false), ("localhost", true), ("kobe.jp", true),
            ("x.kobe.jp", true),
            ("city.kobe.jp", false), ("com.", true), ("127.0.0.1", false), ("", false), ("github.io", true),
        ] as [(String, Bool)])
    func `public suffixes are recognized`(domain: String, isSuffix: Bool) {
        #expect(suffixes.contains(domain) == isSuffix)
    }
}
