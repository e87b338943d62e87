import PlugboardObserving
import Testing

struct CurlLineTests {
    @Test func `fields that are not of HTTP/1.1, or that would be more than one, are left out`() {
        let fields = [(":authority", "a.test"), ("@/etc/passwd", ""), ("X-Kept", "kept"), ("X", "a\nY: b"), ("", "x")]

        let line = CurlLine("GET", "https://a.test/", fields: fields.map { (name: $0.0, value: $0.1) }, body: nil).text

        #expect(line == "curl -H 'X-Kept: kept' -g --url https://a.test/")
    }

    @Test func `a word with control characters stays in its line`() {
        let line = CurlLine("POST", "https://a.test/", fields: [("X", "a\u{1B}1")], body: "it's\n{\"a\": 1}").text

        #expect(
            line == #"curl -H $'X: a\0331' -H Content-Type: --data-raw $'it\'s\n{"a": 1}' -g --url https://a.test/"#)
    }
}
