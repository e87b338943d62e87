import PlugboardCacheOptions
import PlugboardKit
import Testing

@testable import PlugboardCache

struct KeyRuleTests {
    @Test func `the key is the URL alone, for GET and for HEAD`() throws {
        let rule = KeyRule()

        #expect(try key(rule, .get, "http://a.test/x?b=1&a=2") == "http://a.test/x?b=1&a=2")
        #expect(try key(rule, .head, "http://a.test/x?b=1&a=2") == "http://a.test/x?b=1&a=2")
    }

    @Test(arguments: [
        "/bucket/a/../b", "/bucket/a/%2e%2e/b", "/bucket/./b", "/bucket/%2E/b", "/bucket/b/.", "/x/../bucket/b",
    ])
    func `a path with dot segments has its own key`(path: String) throws {
        let rule = KeyRule()

        #expect(try key(rule, .get, "http://a.test\(path)") != key(rule, .get, "http://a.test/bucket/b"))
    }

    @Test(arguments: [
        ("http://a.test/?a=1&utm_source=x&b=2", "http://a.test/?a=1&b=2"),
        ("http://a.test/?utm_source=x&utm_medium=y", "http://a.test/"),
        ("http://a.test/?session&a=1", "http://a.test/?a=1"),
        ("http://a.test/?a=utm_source=x", "http://a.test/?a=utm_source=x"),
        ("http://a.test/x", "http://a.test/x"),
    ])
    func `ignored parameters are not in the key`(url: String, expected: String) throws {
        let rule = KeyRule(ignored: ["utm_*", "session"])

        #expect(try key(rule, .get, url) == expected)
    }

    @Test func `with chosen parameters, others are not in the key`() throws {
        let rule = KeyRule(parts: [.query("q"), .query("page")])

        #expect(try key(rule, .get, "http://a.test/?x=1&q=a&q=b&page=2") == "http://a.test/?q=a&q=b&page=2")
        #expect(try key(rule, .get, "http://a.test/?x=1") == "http://a.test/")
    }

    @Test func `a chosen field is in the key, and a missing field differs from an empty one`() throws {
        let rule = KeyRule(parts: [.field("X-Tenant")])

        let keys = try [nil, "", "a", "b"].map { try key(rule, .get, "http://a.test/", fields: ["x-tenant": $0]) }

        #expect(Set(keys).count == 4)
    }

    @Test(arguments: ["Authorization", "COOKIE"])
    func `credentials distinguish keys, and are not contained in them`(name: String) throws {
        let rule = KeyRule(parts: [.field(name)])

        let keys = try ["secret", "other"].map {
            try key(rule, .get, "http://a.test/", fields: [name.lowercased(): $0])
        }

        #expect(keys[0] != keys[1])
        #expect(!keys.contains { $0.contains("secret") || $0.contains("other") })
    }

    @Test func `a body is in the key together with its method`() throws {
        let rule = KeyRule(parts: [.body])

        let keys = try [
            key(rule, .get, "http://a.test/"), key(rule, .post, "http://a.test/", body: "1"),
            key(rule, .post, "http://a.test/", body: "2"), key(rule, "QUERY", "http://a.test/", body: "1"),
            key(rule, .get, "http://a.test/", body: "1"), key(rule, .post, "http://a.test/"),
        ]

        #expect(Set(keys).count == keys.count)
        #expect(try key(rule, .head, "http://a.test/") == keys[0])
    }

    @Test(arguments: ["body", "query:q", "field:X-Tenant"])
    func `key parts convert to text and back`(text: String) {
        #expect(CacheKeyPart(text)?.text == text)
    }

    @Test(arguments: ["", "query:", "field:", "header:x", "Body"])
    func `an invalid key part is refused`(text: String) {
        #expect(CacheKeyPart(text) == nil)
    }

    private func key(
        _ rule: KeyRule, _ method: PlugboardMessages.Method, _ url: String, fields: [String: String?] = [:],
        body: String? = nil
    ) throws -> String {
        let url = try #require(NormalURL(url))
        var request = Fields()
        for (name, value) in fields { if let value { request.append(FieldName(name), value) } }
        return rule.key(method: method, url: url, request: request, body: body).text
    }
}
