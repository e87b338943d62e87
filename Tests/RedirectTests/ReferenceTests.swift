import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardRedirect

struct ReferenceTests {
    @Test(arguments: [
        ("/plain?x=1#y", "/plain?x=1#y"), ("  /blanks\t", "/blanks"), ("/a b", "/a%20b"), ("/caf\u{e9}", "/caf%C3%A9"),
        ("/%C3%A9", "/%C3%A9"), ("http://b\u{fc}cher.example/\u{fc}", "http://b%C3%BCcher.example/%C3%BC"),
        ("HTTP://example.com", "HTTP://example.com"), ("?\u{301}", "?%CC%81"),
    ])
    func `a Location becomes a reference with escaped bytes`(location: String, text: String) {
        let reference = Array(location.utf8).withUnsafeBytes { Reference(location: $0) }

        #expect(reference?.text == text)
    }

    @Test func `bytes that are not UTF-8 keep their values`() {
        let reference = ([0x2F, 0xE9, 0xFF] as [UInt8]).withUnsafeBytes { Reference(location: $0) }

        #expect(reference?.text == "/%E9%FF")
    }

    @Test(arguments: ["", "  ", "/a\u{0}b", "/a\rb", "/\u{7f}", "1x:/b", "a b:c", ":x"])
    func `an invalid Location is refused`(location: String) {
        let reference = Array(location.utf8).withUnsafeBytes { Reference(location: $0) }

        #expect(reference == nil)
    }

    @Test(arguments: nastyShapes.indices)
    func `a Location of any shape is parsed in linear time`(shape: Int) {
        let (kind, make) = nastyShapes[shape]
        expectLinearTime(kind, size: 4000, input: { Array(make($0).utf8) }) { bytes in
            guard let reference = bytes.withUnsafeBytes({ Reference(location: $0) }) else { return }
            _ = RedirectPolicy().decision(
                for: .init(status: 302, method: .get, url: "http://a.test/", reference: reference),
                resolving: { URLParts.resolve($0, against: "http://a.test/x") })
        }
    }
}
