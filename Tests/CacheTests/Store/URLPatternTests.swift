import Testing

@testable import PlugboardCache

@Suite struct URLPatternTests {
    @Test(arguments: [
        ("", "", true), ("", "a", false), ("*", "", true), ("*", "anything", true), ("?", "", false), ("?", "a", true),
        ("a*c", "abbbc", true), ("a*c", "abbb", false), ("*b*b*", "ab", false), ("*b*b*", "abab", true),
        ("https://*.example.com/*", "https://a.example.com/x?y", true),
        ("https://*.example.com/*", "https://example.com/x", false), ("*/a?", "https://x/a1", true),
        ("*/a?", "https://x/a", false), ("a**", "a", true), ("*.js", "x.js.js", true), ("a[b]", "a[b]", true),
        ("a[b]", "ab", false), ("?", "é", false), ("??", "é", true),
    ])
    func `a star matches any bytes, a question mark one`(_ pattern: String, _ url: String, _ fits: Bool) {
        #expect(URLPattern(pattern).fits(url) == fits)
    }

    @Test func `a pattern of many stars is matched in bounded time`() {
        let pattern = URLPattern(String(repeating: "*a", count: 50) + "b")

        #expect(!pattern.fits(String(repeating: "a", count: 10_000)))
    }
}
