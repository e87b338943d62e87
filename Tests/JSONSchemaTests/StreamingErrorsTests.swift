import PlugboardJSON
import PlugboardJSONSchema
import Testing

/// What is said about documents that are refused while they arrive.
struct StreamingErrorsTests {
    @Test func `errors name the places and the rules that the whole document has`() throws {
        let schema = try JSONSchema([
            "properties": [
                "list": ["items": ["$ref": "#/$defs/item"]], "any": ["anyOf": [["maxItems": 1], ["minItems": 3]]],
            ],
            "additionalProperties": false,
            "$defs": ["item": ["required": ["id"], "properties": ["id": ["type": "integer"]], "minProperties": 2]],
        ])
        let texts = [
            #"{"list": [{"id": 1, "x": 1}, {"id": "a", "x": 1}]}"#, #"{"list": [{"x": 1, "y": 2}]}"#,
            #"{"list": [{"id": 1}]}"#, #"{"other": 1}"#, #"{"any": [1, 2]}"#, #"{"list": [{"id": [], "x": 1}]}"#,
        ]
        for text in texts {
            let whole = schema.validate(try JSONDocument(text), limit: 1)
            let validation = schema.validation(limit: 1)

            let streamed = try Array(text.utf8).withUnsafeBytes { try validation.update($0) }

            #expect(streamed?.leaves == whole.leaves, "\(text)")
        }
    }

    @Test func `errors do not depend on where the text is cut, and find strings as they were written`() throws {
        let schema = try JSONSchema(["items": ["properties": ["a": ["maxLength": 2], "b": ["maximum": 5]]]])
        let text = Array(#"[{"a": "\u00e9\n", "b": 1}, {"a": "\u00e9\n", "c": ["\\\""], "b": 7}, {"b": 9}]"#.utf8)
        let whole = schema.validate(try JSONDocument(text), limit: 1, valueLimit: 20)

        for cut in text.indices {
            let validation = schema.validation(valueLimit: 20)
            let first = try Array(text[..<cut]).withUnsafeBytes { try validation.update($0) }
            let result = try first ?? Array(text[cut...]).withUnsafeBytes { try validation.update($0) }

            #expect(result?.leaves == whole.leaves, "\(cut)")
        }
    }

    @Test func `where few schemas of a union are left, the errors are theirs`() throws {
        let schema = try JSONSchema([
            "properties": [
                "any": ["anyOf": [["type": "null"], ["minItems": 3]]],
                "one": [
                    "oneOf": [
                        ["type": "null"], ["properties": ["t": ["const": "a"]]], ["$ref": "#/$defs/b"],
                        ["properties": ["t": ["const": "c"], "u": ["const": 1]]],
                    ]
                ],
            ], "$defs": ["b": ["properties": ["t": ["const": "b"]]]],
        ])
        func leaves(_ text: String) throws -> [String?] {
            let validation = schema.validation(valueLimit: 20)
            return try Array(text.utf8).withUnsafeBytes { try validation.update($0) }?.leaves.flatMap {
                [$0.instanceLocation, $0.keywordLocation, $0.value]
            } ?? []
        }

        #expect(try leaves(#"{"any": [1]"#) == ["/any", "/properties/any/anyOf/1/minItems", nil])
        #expect(
            try leaves(#"{"one": {"u": 2, "t": "d","#) == [
                "/one/t", "/properties/one/oneOf/1/properties/t/const", "\"d\"",
                "/one/t", "/properties/one/oneOf/2/$ref/properties/t/const", "\"d\"",
            ])
    }
}
