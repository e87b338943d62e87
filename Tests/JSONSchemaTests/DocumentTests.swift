import PlugboardJSON
import PlugboardJSONSchema
import Testing

/// The parser, by RFC 8259.
struct DocumentTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-0", "1", "-1", "1.5", "1e5", "1E+5", "1e-5", "0.0", "\"\"", "\"a\"", "[]", "{}",
        " [ ] ", "\t{\n}\r", "[1,2]", "[[[]]]", #"{"a":1}"#, #"{"a":1,"a":2}"#, #""\"\\\/\b\f\n\r\t""#, #""\u0000""#,
        #""\u00e9""#, #""\ud83d\ude00""#, "\"é😀\"", "\"\u{7F}\"", "\u{FEFF}1", "123456789012345678901234567890",
        "1e308", "1e400", "-1e-400", "0e99", "1.000000000000000000000000000001", "\"\u{2028}\"", "[\"a\",null]",
        "1e499999999999999999", "\"\u{10FFFF}\"", "\"\u{FFFE}\"", "{\"\":0}",
    ])
    func `valid texts are parsed`(text: String) throws {
        _ = try JSONDocument(text)
    }

    @Test(arguments: [
        "", " ", "nul", "True", "tru", "truex", "nulll", "01", "-", "+1", "1.", ".5", "1e", "1e+", "-01", "0x1", "1 2",
        "NaN", "Infinity", "\"", "\"a", "'a'", "[", "]", "[1,]", "[,1]", "[1 2]", "[1,,2]", "{", "}", "{a:1}",
        "{\"a\"}",
        "{\"a\":}", "{\"a\":1,}", "{,}", "{\"a\" 1}", "{1:1}", "[}", "{]", "[1}", "{\"a\":1]", "\"\\x\"", "\"\\u12\"",
        "\"\\u123g\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\ud800x\"", "\"\u{1}\"", "\"\n\"",
        "\"\t\"",
        "/* */1", "1//", "\u{FEFF}", "1\u{A0}", "\u{2028}1", "[\"a\":1]", "{\"a\",1}", "1e9999999999999999999", "\0",
        "1\0",
        "\"\\", "\"\\u", "[1", "{\"a\":1", "--1", "1e5.5", "1.5.5", "\"\\\"", "[\"\u{0}\"]",
    ])
    func `invalid texts are refused`(text: String) {
        #expect(throws: JSONDocumentError.self) { try JSONDocument(text) }
    }

    @Test(
        arguments: [
            [0x22, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xC1, 0xBF, 0x22], [0x22, 0xE0, 0x80, 0x80, 0x22],
            [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xED, 0xBF, 0xBF, 0x22], [0x22, 0xF0, 0x80, 0x80, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], [0x22, 0xC3, 0x22],
            [0x22, 0xC3],
            [0x22, 0xE2, 0x82], [0x22, 0xF0, 0x9F, 0x98], [0x22, 0xFF, 0x22], [0xFF, 0xFE, 0x31, 0x00], [0xEF, 0xBB],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        #expect(throws: JSONDocumentError.self) { try JSONDocument(bytes) }
    }

    @Test func `no beginning of a text is a valid text`() throws {
        let text = Array(#"{"a": [1.5, "é\u00e9\ud83d\ude00", true, null, {"b": -1e5}], "c": {}}"#.utf8)

        for count in 0..<text.count {
            #expect(throws: JSONDocumentError.self) { try JSONDocument(Array(text[..<count])) }
        }
        _ = try JSONDocument(text)
    }

    @Test func `the parser accepts what the other parser of the project accepts`() throws {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("[]{},:\"\\u0123eE+-.tfn ruelasé\n".utf8)

        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<12, using: &generator)
            let text = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
            let isJSON = (try? JSONParser.parse(text)) != nil
            #expect(((try? JSONDocument(text)) != nil) == isJSON, "\(text)")
        }
    }

    @Test func `of equal keys each value must match, in small and in large objects`() throws {
        let schema = try JSONSchema([
            "properties": ["a": ["type": "string"]], "maxProperties": 41, "additionalProperties": ["type": "integer"],
        ])
        let others = (0..<40).map { "\"k\($0)\": \($0)" }.joined(separator: ",")

        #expect(schema.isValid(try JSONDocument(#"{"a": "y", "a": "x"}"#)))
        #expect(!schema.isValid(try JSONDocument(#"{"a": 1, "a": "x"}"#)))
        #expect(!schema.isValid(try JSONDocument(#"{"a": "x", "a": 1}"#)))
        // They count once.
        #expect(schema.isValid(try JSONDocument("{\"a\": \"y\", \(others), \"a\": \"x\", \"k3\": 7}")))
        #expect(!schema.isValid(try JSONDocument("{\"a\": 1, \(others), \"a\": \"x\", \"k3\": 7}")))
        #expect(!schema.isValid(try JSONDocument("{\"a\": \"x\", \(others), \"\\u0061\": 1}")))
    }

    @Test(arguments: [2, 100]) func `duplicate keys can be refused`(count: Int) {
        var options = JSONDocument.Options()
        options.refusesDuplicateKeys = true
        let members = (0..<count).map { "\"k\($0)\": 0" }.joined(separator: ",")

        #expect(throws: Never.self) { try JSONDocument("{\(members)}", options: options) }
        #expect(throws: JSONDocumentError.self) { try JSONDocument("{\(members), \"k1\": 0}", options: options) }
    }

    @Test func `limits of depth and size are errors`() throws {
        let nested = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        var options = JSONDocument.Options()
        options.sizeLimit = 3

        #expect(throws: JSONDocumentError.self) { try JSONDocument(nested) }
        #expect(throws: JSONDocumentError.self) { try JSONDocument("[1,2]", options: options) }
        #expect(throws: Never.self) {
            try JSONDocument(String(repeating: "[", count: 512) + String(repeating: "]", count: 512))
        }
    }
}
