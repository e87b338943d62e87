import Testing

@testable import CachePlugin

struct WildcardPatternTests {
    @Test(arguments: [
        ("*", "", true), ("*", "anything", true), ("", "", true), ("", "a", false), ("a", "a", true),
        ("a?c", "abc", true), ("a?c", "ac", false), ("http://a.test/*", "http://a.test/x/y?z=1", true),
        ("http://a.test/*", "http://b.test/", false), ("*.js", "http://a.test/x.js", true),
        ("*.js", "http://a.test/x.js?v=1", false), ("*a*b*c*", "xxaxxbxxcxx", true), ("*a*b*c*", "xxaxxcxxbxx", false),
        ("a*b", "aXbXb", true), ("a**b", "ab", true), ("/x?y=*", "/x?y=1", true),
    ])
    func `stars and question marks stand for others`(pattern: String, text: String, expected: Bool) {
        #expect(WildcardPattern.matches(pattern, text) == expected)
    }

    @Test func `a pattern of many stars takes no longer than it may`() {
        let pattern = String(repeating: "*a", count: 1000) + "b"
        let text = String(repeating: "a", count: 20_000)

        #expect(!WildcardPattern.matches(pattern, text))
    }
}
