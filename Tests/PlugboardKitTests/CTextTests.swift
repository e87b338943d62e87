import CPlugboard
import PlugboardKit
import Testing

/// Texts of plugins, as they are compared in place.
struct CTextTests {
    private let get: StaticString = "GET"

    @Test(arguments: [("GET", true), ("GEX", false), ("GE", false), ("GETS", false), ("", false)])
    func `a text is equal if all bytes are`(text: String, isEqual: Bool) {
        #expect(withText(text) { $0.isEqual(get) } == isEqual)
    }

    @Test func `a text without memory is equal to no other, whatever its count is`() {
        #expect(!plug_text(bytes: nil, count: 3).isEqual(get))
    }
}
