import PlugboardJSON
import PlugboardJSONSchema
import Testing

/// Names are compared by their bytes (RFC 8259 §8.3), and pointers are split at them.
struct NamesTests {
    @Test func `canonically equivalent names are different names`() throws {
        let composed = "\u{E9}"
        let decomposed = "e\u{301}"
        let schema = try JSONSchema([
            "properties": object([(composed, ["type": "integer"]), (decomposed, ["type": "string"])]),
            "required": [.string(composed), .string(decomposed)],
        ])

        #expect(schema.isValid(try JSONDocument("{\"\(composed)\": 1, \"\(decomposed)\": \"a\"}")))
        #expect(!schema.isValid(try JSONDocument("{\"\(composed)\": \"a\", \"\(decomposed)\": 1}")))
        #expect(!schema.isValid(try JSONDocument("{\"\(composed)\": 1}")))
    }

    @Test func `canonically equivalent definitions, anchors, patterns and documents are told apart`() throws {
        var registry = SchemaRegistry()
        registry.add(["type": "integer"], uri: "https://a.test/\u{E9}")
        registry.add(["type": "string"], uri: "https://a.test/e\u{301}")
        let schema = try JSONSchema(
            [
                "$defs": object([("\u{E9}", ["const": 1]), ("e\u{301}", ["const": 2])]),
                "properties": [
                    "a": ["$ref": "#/$defs/\u{E9}"], "b": ["$ref": "#/$defs/e\u{301}"],
                    "c": ["$ref": "https://a.test/\u{E9}"], "d": ["$ref": "https://a.test/e\u{301}"],
                    "e": ["pattern": "^\u{E9}$"], "f": ["pattern": "^e\u{301}$"],
                ],
            ], registry: registry)

        #expect(
            schema.isValid(try JSONDocument("{\"a\":1,\"b\":2,\"c\":1,\"d\":\"\",\"e\":\"\u{E9}\",\"f\":\"e\u{301}\"}"))
        )
        for wrong in [
            "{\"a\":2}", "{\"b\":1}", "{\"c\":\"\"}", "{\"d\":1}", "{\"e\":\"e\u{301}\"}", "{\"f\":\"\u{E9}\"}",
        ] {
            #expect(!schema.isValid(try JSONDocument(wrong)), "\(wrong)")
        }
    }

    @Test func `names that begin with a combining mark are followed`() throws {
        let mark = "\u{301}a"
        let schema = try JSONSchema([
            "properties": object([(mark, ["type": "integer"])]),
            "$defs": object([(mark, ["required": [.string(mark)]])]),
            "$ref": .string("#/$defs/\(mark)"),
        ])

        #expect(schema.isValid(try JSONDocument("{\"\(mark)\": 1}")))
        #expect(!schema.isValid(try JSONDocument("{\"\(mark)\": \"\"}")))
        #expect(!schema.isValid(try JSONDocument("{}")))
        let error = try #require(schema.validate(try JSONDocument("{\"\(mark)\": \"\"}")).leaves.first)
        #expect(Array(error.keywordLocation.utf8) == Array("/properties/\(mark)/type".utf8))
        let fragment = try JSONSchema([
            "$schema": "http://json-schema.org/draft-07/schema#", "allOf": [["$ref": .string("#\(mark)")]],
            "definitions": ["x": ["$id": .string("#\(mark)"), "const": 1]],
        ])
        #expect(fragment.isValid(try JSONDocument("1")))
    }

    /// With names that a literal of Swift would take for one.
    private func object(_ members: [(String, JSONValue)]) -> JSONValue { .object(JSONObject(members)) }
}
