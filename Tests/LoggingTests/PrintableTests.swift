import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardLogging

struct PrintableTests {
    @Test(arguments: [
        ("plain text", "plain text"), ("", ""), ("caf\u{e9} → 日本", "caf\u{e9} → 日本"),
        ("\u{1B}[31mred", "\\u{1B}[31mred"),
        ("a\r\nb", "a\\u{D}\\u{A}b"), ("tab\there", "tab\\u{9}here"), ("\u{0}\u{7F}", "\\u{0}\\u{7F}"),
        ("\u{9B}31m", "\\u{9B}31m"), ("\u{202E}exe.txt", "\\u{202E}exe.txt"), ("a\u{2028}b", "a\\u{2028}b"),
        ("a\u{200B}b", "a\\u{200B}b"), ("\u{E0001}", "\\u{E0001}"),
    ])
    func `control characters are escaped`(text: String, printed: String) {
        #expect(Printable.text(text) == printed)
    }

    @Test func `a head shows its fields and hides its secrets`() {
        var fields = Fields([
            "Accept": "*/*", "Authorization": "Bearer secret",
            "Location": "https://u:secret@example.com/?key=secret#secret",
            "X-Key": "secret", "X-Evil\u{7}": "\u{1B}[2J",
        ])
        fields.markSecret("X-Key")

        let text = headText("GET /\n", fields, showingQueries: false)

        #expect(
            text == """
                GET /\\u{A}
                    Accept: */*
                    Authorization: <redacted>
                    Location: https://example.com/?key=…
                    X-Key: <redacted>
                    X-Evil\\u{7}: \\u{1B}[2J
                """)
    }

    @Test func `a head shows the values of queries if asked to`() {
        let text = headText("→ 302", Fields(["Location": "https://u:p@example.com/?page=2"]), showingQueries: true)

        #expect(text == "→ 302\n    Location: https://example.com/?page=2")
    }

    @Test(arguments: nastyShapes.indices)
    func `a head of any shape is printed in linear time`(shape: Int) {
        let (kind, make) = nastyShapes[shape]
        expectLinearTime(kind, size: 4000) { size in
            var fields: Fields = ["Location": make(size), "X": make(size)]
            for index in 0..<size / 50 { fields.append(FieldName("X\(index % 7)"), make(10)) }
            return fields
        } read: { fields in
            _ = headText("200", fields, showingQueries: false)
        }
    }
}
