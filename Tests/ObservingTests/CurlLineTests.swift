import PlugboardObserving
import Testing

struct CurlLineTests {
    @Test func `a word with control characters stays in its line`() {
        let line = CurlLine("POST", "https://a.test/", fields: [("X", "a\u{1B}1")], body: "it's\n{\"a\": 1}").text

        #expect(
            line == #"curl -H $'X: a\0331' -H Content-Type: --data-raw $'it\'s\n{"a": 1}' -g --url https://a.test/"#)
    }
}
