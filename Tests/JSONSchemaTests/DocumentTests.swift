import PlugboardJSONSchema
import Testing

/// What documents are beside texts that `JSONParser` accepts.
struct DocumentTests {
    @Test func `errors have an offset, and never a part of the text`() {
        let error = #expect(throws: JSONDocumentError.self) { try JSONDocument("{\"a\": secret}") }

        #expect(error?.description == "byte 6: a value is expected")
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
