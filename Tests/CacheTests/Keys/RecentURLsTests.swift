import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCache

/// The normal forms that are kept for URLs that come again.
@Suite struct RecentURLsTests {
    @Test(arguments: [
        "https://api.example.com/items/#", "https://api.example.com/items/#/photos", "http://a.example/?page=#&size=20",
    ])
    func `URLs that differ in a number have many places`(pattern: String) {
        let parts = pattern.split(separator: "#", omittingEmptySubsequences: false)
        let urls = (0..<64).map { parts.joined(separator: "\($0)") }

        let places = Set(urls.map { url in withUTF8Bytes(url) { RecentURLs.place($0) } })

        // 50 on average if they were random.
        #expect(places.count > 35, "\(places.count)")
    }

    @Test(arguments: [1, 511, 512, 513, 2000])
    func `a URL of any length has the normal form of its bytes, each time`(length: Int) {
        let recent = RecentURLs()
        let urls = ["A", "b"].map { "HTTP://example.com/" + String(repeating: $0, count: length) }

        for url in urls + urls {
            let known = withUTF8Bytes(url) { recent.url($0) }
            #expect(known?.text == url)
            #expect(known?.normal == NormalURL(url))
        }
    }

    @Test func `two URLs of one place do not get each other's form`() throws {
        let recent = RecentURLs()
        let urls = (0..<200).map { "https://example.com/\($0)" }
        let place = { (url: String) in withUTF8Bytes(url) { RecentURLs.place($0) } }
        let pair = try #require(
            urls.indices.lazy.compactMap { index in
                urls[..<index].first { place($0) == place(urls[index]) }.map { [$0, urls[index]] }
            }.first)

        for url in pair + pair { #expect(withUTF8Bytes(url) { recent.url($0)?.normal.text } == url) }
    }

    @Test func `a URL without a normal form has none the second time either`() {
        let recent = RecentURLs()

        for _ in 0..<2 { #expect(withUTF8Bytes("mailto:a@example.com") { recent.url($0) == nil }) }
    }

    @Test func `threads that look at the same time get the forms of their URLs`() async {
        let recent = RecentURLs()

        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<2000).allSatisfy { number in
                        let url = "https://example.com/\(number % 300 + task % 2)"
                        return withUTF8Bytes(url) { recent.url($0)?.normal.text == url }
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
