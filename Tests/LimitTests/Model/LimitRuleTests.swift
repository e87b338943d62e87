import PlugboardKit
import Testing

@testable import PlugboardLimit

struct LimitRuleTests {
    @Test func `a rule has its rates, its number at once and its parts`() throws {
        let rule = try LimitRule(
            "POST https://api.test/orders*", "100/s, 5000/h,8 at once, by origin, by field X-Tenant, by attribute a.b")

        #expect(rule.rates.map(\.text) == ["100/s", "5000/h"] && rule.atOnce == 8)
        #expect(rule.parts == [.origin, .field("X-Tenant"), .attribute("a.b")])
        #expect(!rule.onlyLearns)
    }

    @Test(arguments: [
        ("*", "GET", "https://a.test/x", true),
        ("https://a.test", "GET", "https://a.test", true), ("https://a.test", "GET", "https://a.test/x", false),
        ("https://a.test/*", "GET", "https://A.test:443/x/y?q=1", true),
        ("https://a.test/*", "GET", "https://a.test?q=1", true),
        ("https://a.test/*", "GET", "http://a.test/", false),
        ("https://a.test/*", "GET", "https://a.test.evil/", false),
        ("https://a.test/*", "GET", "https://a.test:8443/", false),
        ("HTTPS://A.test:443/x", "GET", "https://a.test/x", true),
        ("https://a.test:8443/*", "GET", "https://a.test:8443/", true),
        ("https://*.A.test:443/v1/*", "GET", "https://api.a.test/v1/x", true),
        ("https://*.a.test/v1/*", "GET", "https://api.a.test/v2/x", false),
        ("https://*.a.test/*", "GET", "https://api.a.test:8443/", false),
        ("https://*.a.test/*", "GET", "https://b.test/x.a.test/", true),
        ("https://*.a.test:8443/x", "GET", "https://api.a.test:8443/x", true),
        ("POST https://a.test/orders*", "POST", "https://a.test/orders/7?x=/y", true),
        ("POST https://a.test/orders*", "GET", "https://a.test/orders", false),
        ("*/orders", "GET", "https://a.test/orders", true), ("*/orders", "GET", "https://a.test/orders?x", false),
        ("*/orders*", "GET", "http://a.test:81/v1/orders/7?x", true),
        ("*.a.test/*", "GET", "http://api.a.test/x", true), ("*.a.test/*", "GET", "http://api.a.test:81/x", false),
        ("*.a.test:81/*", "GET", "http://api.a.test:81/x", true),
        ("*.A.test/*", "GET", "http://api.a.test/x", false),
        ("*://a.test/*", "GET", "http://a.test/x", true), ("http*://a.test/", "GET", "https://a.test/", true),
        ("http://[::1]/*", "GET", "http://[::1]/x", true),
        ("https://a.test/x?page=*", "GET", "https://a.test/x?page=2", true),
        ("https://a.test/x?page=*", "GET", "https://a.test/x", false),
        ("https://a.test/*page=2", "GET", "https://a.test/y?page=2", true),
    ])
    func `a rule is for a method and a URL`(
        text: String, method: String, url: String, applies: Bool
    ) throws {
        let rule = try LimitRule(text, "1/s")
        let url = try #require(URLWildcard.comparable(url))

        #expect(rule.applies(to: Method(method), url) == applies)
    }

    @Test(arguments: [
        "", "GET", "get https://a.test", "ftp://a.test", "htps://a.test/*", "a.test", "/x", "A B https://a.test",
        "https://user@a.test", "https://user@*.a.test/x", "https://", "https:///x*", "https://ä.test",
        "https://a.test/ü", "*.ä.test", "https://a.test:0/*", "https://a.test:x/*", "https://a.test/\u{1B}",
        "https://*.a.test\u{1B}",
    ])
    func `a key that is no rule is refused with what to write`(text: String) {
        let error = #expect(throws: PlugboardError.self) { try LimitRule(text, "1/s") }

        #expect(error?.code == .configuration && error?.reason.contains("Write [METHOD] URL") == true)
    }

    @Test(arguments: [
        "", "100", "100 per second", "100/s,", "8 at once, 9 at once", "0 at once", "by", "by host", "by field",
        "by field A B", "by field a:b", "by attribute", "by attribute key", "by attribute limit.kye",
        "100/s; 8 at once", "+5/s", "5/+1s", "+8 at once", "5/s, 5/s", "5/s, 6/1s",
        "100/s\u{1B}",
    ])
    func `limits that are none are refused with what to write`(limits: String) {
        let error = #expect(throws: PlugboardError.self) { try LimitRule("*", limits) }

        #expect(error?.code == .configuration && error?.reason.contains("Write 100/s") == true)
        #expect(error?.reason.contains("\u{1B}") == false)
    }

    @Test(
        arguments: [
            ("https://a.test", "https://a.test"), ("HTTPS://A.test:443/x*?y", "https://a.test"),
            ("http://127.1:80?x=*", "http://127.0.0.1"), ("https://a.test#*", "https://a.test"), ("*", nil),
            ("https://a.test*", nil), ("https://a.*/x", nil), ("https://a.test:*/x", nil), ("https://*", nil),
            ("http*://a.test/x", nil), ("*://a.test/x", nil),
        ] as [(String, String?)])
    func `a rule has an origin if no star stands before its path`(text: String, origin: String?) throws {
        let rule = try LimitRule(text, "1/s")

        #expect(rule.origin?.description == origin)
    }

    @Test func `a pause is about rules that name a server, or count by origin`() throws {
        #expect(try LimitRule("https://a.test", "1/s").isAboutOneServer)
        #expect(try LimitRule("*", "1/s, by origin").isAboutOneServer)
        #expect(try !LimitRule("*", "1/s, by field A").isAboutOneServer)
        #expect(try !LimitRule("https://*.a.test", "1/s").isAboutOneServer)
    }
}
