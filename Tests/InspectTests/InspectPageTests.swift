import PlugboardFieldValues
import PlugboardInspectPage
import PlugboardJSON
import PlugboardMessages
import TestSupport
import Testing

/// The page as a document, without a browser.
struct InspectPageTests {
    @Test func `the data of a report cannot end its element`() throws {
        let har = #"{"log": {"entries": [{"_x": "</script><script>alert(1)</script><!--"}]}}"#

        let page = String(decoding: InspectPage.report(Array(har.utf8)), as: UTF8.self)

        let start = try #require(page.range(of: #"id="data">"#)).upperBound
        let data = try #require(page[start...].range(of: "</script>").map { page[start..<$0.lowerBound] })
        #expect(!data.contains("<"))
        let expected = try JSONParser.parse(har)
        #expect(try JSONParser.parse(String(data)) == expected)
    }

    @Test func `the policy allows the page's script and style by their hashes, and nothing else`() throws {
        let page = String(decoding: InspectPage.live(sendsAgain: true), as: UTF8.self)

        #expect(page.contains(#"<meta http-equiv="Content-Security-Policy" content="\#(InspectPage.livePolicy)">"#))
        for (element, directive) in [("script", "script-src"), ("style", "style-src")] {
            let start = try #require(page.range(of: "<\(element)>")).upperBound
            let end = try #require(page[start...].range(of: "</\(element)>")).lowerBound
            let text = Bytes(String(page[start..<end]))
            #expect(InspectPage.livePolicy.contains("\(directive) 'sha256-\(base64(text.sha256))';"))
        }
        #expect(InspectPage.livePolicy.hasPrefix("default-src 'none'; "))
        #expect(!InspectPage.livePolicy.contains("unsafe"))
    }

    @Test func `a report connects to nothing`() {
        let page = String(decoding: InspectPage.report(Array("{}".utf8)), as: UTF8.self)

        #expect(page.contains("connect-src 'none'"))
        // The name of SVG's namespace, which is no address.
        let others = page.replacing("http://www.w3.org/2000/svg", with: "").ranges(of: #/(src|href)="?https?:/#)
        #expect(others.isEmpty)
    }

    private func base64(_ digits: String) -> String {
        let digits = Array(digits)
        return Base64.encode(
            stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) })
    }
}
