import PlugboardKit
import Testing

@testable import PlugboardLimit

/// Which rules apply to a URL, found by its origin.
struct LimitRulesTests {
    private func rules(_ settings: [String: String], _ url: String) throws -> [String] {
        let rules = try LimitRules(settings, salt: [])
        return rules.names(.get, url, by: .direct) { [] }.map { rules.rules[$0.rule].text }
    }

    @Test(arguments: [
        ("https://a.test/x", ["https://a.test/*"]), ("https://A.TEST:443/x", ["https://a.test/*"]),
        ("https://user@a.test?x", ["https://a.test/*"]), ("http://[::1]/x", ["http://[::1]/*"]),
        ("http://127.1/x", ["http://127.1/*"]), ("http://127.0.0.1/x", []), ("https://a.test:8443/", []),
        ("http://a.test/", []), ("https://b.test/", []), ("https://aa.test/", []), ("https://[::1]/", []),
        ("a.test", []), ("https://", []),
    ])
    func `a rule of an origin is found by its URLs`(url: String, expected: [String]) throws {
        let settings = ["https://a.test/*": "1/s", "http://[::1]/*": "1/s", "http://127.1/*": "1/s"]

        #expect(try rules(settings, url) == expected)
        #expect(try rules(settings.merging(["*://none.test": "1/s"]) { $1 }, url) == expected)
    }

    @Test func `general rules apply beside those of the origin`() throws {
        let settings = ["https://a.test/*": "1/s", "*": "2/s"]

        #expect(try rules(settings, "https://a.test/").sorted() == ["*", "https://a.test/*"])
        #expect(try rules(settings, "https://b.test/") == ["*"])
    }
}
