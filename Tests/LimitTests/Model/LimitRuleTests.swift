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
        ("https://a.test", "GET", "https://a.test", true),
        ("https://a.test", "GET", "https://A.test:443/x/y?q=1", true),
        ("https://a.test", "GET", "http://a.test/", false),
        ("https://a.test", "GET", "https://a.test.evil/", false),
        ("https://a.test/", "GET", "https://a.test/x", false),
        ("HTTPS://A.test:443/x", "GET", "https://a.test/x", true),
        ("https://a.test:8443", "GET", "https://a.test:8443/", true),
        ("https://*.a.test/v1/*", "GET", "https://api.a.test/v1/x", true),
        ("https://*.A.test:443/v1/*", "GET", "https://api.a.test/v2/../v1/x", true),
        ("POST https://a.test/orders*", "POST", "https://a.test/orders/7?x=/y", true),
        ("POST https://a.test/orders*", "GET", "https://a.test/orders", false),
        ("*/orders", "GET", "https://a.test/orders?x", true),
        ("*.A.test", "GET", "http://api.a.test:81/x", true), ("*.a.test", "GET", "https://evil.test/x.a.test", false),
        ("*a.test/x", "GET", "https://a.test/x", true), ("*://a.test", "GET", "http://a.test/x", true),
        ("https://*.a.test", "GET", "https://evil.test/x.a.test/", false),
        ("https://*.a.test", "GET", "https://api.a.test:8443/", false),
        ("https://*.a.test:8443/x", "GET", "https://api.a.test:8443/x", true),
        ("http://[0:0::1]", "GET", "http://[::1]/x", true),
        ("https://a.test/x?page=*", "GET", "https://a.test/x?page=2", true),
        ("https://a.test/x?page=*", "GET", "https://a.test/x", false),
        ("https://a.test?page=2", "GET", "https://a.test/y?page=2", true),
    ])
    func `a rule is for a method and a URL`(
        text: String, method: String, url: String, applies: Bool
    ) throws {
        let rule = try LimitRule(text, "1/s")
        let parts = try #require(URLParts(url))
        let origin = try #require(Origin(parts))

        #expect(rule.applies(to: Method(method), origin, parts) == applies)
    }

    @Test(arguments: [
        "", "GET", "get https://a.test", "https://a.test/#x", "ftp://a.test", "a.test", "/x",
        "https://user@a.test", "https://", "A B https://a.test", "https://ä.test", "https://a.test/ü", "*.ä.test",
        "https://a.test/x/../y", "*/./x", "https://*.a.test:0", "https://*.a.test:x", "*.a.test:443", "*.a.test.",
        "https://a.test/\u{1B}", "https://*.a.test\u{1B}",
    ])
    func `a key that is no rule is refused with what to write`(text: String) {
        let error = #expect(throws: PlugboardError.self) { try LimitRule(text, "1/s") }

        #expect(error?.code == .configuration && error?.reason.contains("Write [METHOD] URL") == true)
    }

    @Test(arguments: [
        "", "100", "100 per second", "100/s,", "8 at once, 9 at once", "0 at once", "by", "by host", "by field",
        "by field A B", "by field a:b", "by attribute", "by attribute key", "by attribute limit.kye",
        "100/s; 8 at once",
        "100/s\u{1B}",
    ])
    func `limits that are none are refused with what to write`(limits: String) {
        let error = #expect(throws: PlugboardError.self) { try LimitRule("*", limits) }

        #expect(error?.code == .configuration && error?.reason.contains("Write 100/s") == true)
        #expect(error?.reason.contains("\u{1B}") == false)
    }

    @Test func `a pause is about rules that name a server, or count by origin`() throws {
        #expect(try LimitRule("https://a.test", "1/s").isAboutOneServer)
        #expect(try LimitRule("*", "1/s, by origin").isAboutOneServer)
        #expect(try !LimitRule("*", "1/s, by field A").isAboutOneServer)
        #expect(try !LimitRule("https://*.a.test", "1/s").isAboutOneServer)
    }
}
