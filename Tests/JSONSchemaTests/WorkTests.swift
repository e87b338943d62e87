import PlugboardJSON
import PlugboardJSONSchema
import Testing

/// The work of documents and schemas that are large in an unusual way.
struct WorkTests {
    @Test func `a long list of numbers is looked up, not searched`() throws {
        let values = (0..<5000).map { JSONValue.number(JSONNumber($0 * 3)) } + ["a", nil, 0.5]
        let schema = try JSONSchema(["items": ["enum": .array(values)]])
        let numbers = (0..<16_000).map { "\($0 % 5000 * 3)" }

        // A search would need more work than the limit.
        #expect(schema.isValid(try JSONDocument("[\(numbers.joined(separator: ",")),\"a\",null,0.50,3.0]")))
        for wrong in ["1", "\"b\"", "true", "0.51", "[]", "1e400"] {
            #expect(!schema.isValid(try JSONDocument("[\(wrong)]")))
        }
    }

    @Test func `a long divisor of a long number ends at the limit of work`() throws {
        let divisor = try #require(JSONNumber(text: String(repeating: "7", count: 200_000)))
        let schema = try JSONSchema(["multipleOf": .number(divisor)])

        let result = schema.validate(try JSONDocument(String(repeating: "3", count: 400_000)))

        #expect(result.errors.first?.message.utf8.starts(with: "The document cannot be judged".utf8) == true)
    }

    @Test func `nested unevaluated properties are evaluated once while they arrive`() throws {
        // Evaluating the numbers at each level would need more work than the limit.
        let rules: [JSONValue] = (0..<4).map { ["minimum": .number(JSONNumber($0))] }
        let schema = try JSONSchema([
            "properties": ["c": ["$ref": "#"], "v": ["items": ["allOf": .array(rules)]]],
            "unevaluatedProperties": false,
        ])
        func text(_ inner: String) -> String {
            String(repeating: "{\"c\":", count: 400) + inner + String(repeating: "}", count: 400)
        }
        let numbers = String(repeating: "5,", count: 20_000) + "5"

        #expect(try judge(schema, text("{\"v\":[\(numbers)]}")).isValid)
        #expect(try !judge(schema, text("{\"d\":1}")).isValid)
    }

    @Test func `the begin of a scalar fails behind references`() throws {
        let schema = try JSONSchema([
            "items": ["allOf": [["$ref": "#/$defs/id"]]], "$defs": ["id": ["type": ["integer", "null"]]],
        ])
        let validation = schema.validation()

        let result = try Array("[1, \"abc".utf8).withUnsafeBytes { try validation.update($0) }

        let error = try #require(result?.errors.first)
        #expect(error.instanceLocation == "/1")
        #expect(error.keywordLocation == "/items/allOf/0/$ref/type")
    }

    @Test func `errors do not keep long names`() throws {
        let schema = try JSONSchema(["additionalProperties": ["type": "integer"]])
        let name = "e" + String(repeating: "\u{301}", count: 10_000)

        let result = schema.validate(try JSONDocument("{\"\(name)\": \"x\"}"))

        #expect(try #require(result.errors.first).instanceLocation.utf8.count < 200)
    }

    @Test(arguments: [#"{"a": "string", "a?": "string"}"#, "{\"\u{E9}\": \"string\", \"e\u{301}\": \"number\"}"])
    func `a shape that describes a member twice is refused`(text: String) throws {
        let value = try JSONParser.parse(text)

        #expect(throws: ShapeError.self) { try Shape(value) }
    }

    private func judge(_ schema: JSONSchema, _ text: String) throws -> ValidationResult {
        let validation = schema.validation()
        return try Array(text.utf8).withUnsafeBytes { try validation.update($0) } ?? validation.finish()
    }
}
