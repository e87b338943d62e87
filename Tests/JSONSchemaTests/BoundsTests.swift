import PlugboardJSON
import PlugboardJSONSchema
import TestSupport
import Testing

/// Input that would take long, or that is larger than usual.
struct BoundsTests {
    @Test(arguments: [
        "1e9223372036854775808", "1e-9223372036854775808", "0.1e9223372036854775808", "1e18446744073709551617",
        "1e99999999999999999999999999",
    ])
    func `an exponent that no integer holds does not trap, and is not small`(text: String) throws {
        let schema = try JSONSchema(["type": "number", "maximum": 5, "minimum": -5])

        let isValid = (try? JSONDocument(text)).map { schema.isValid($0) }

        #expect(isValid == nil || isValid == text.contains("e-"))
    }

    @Test func `a schema that branches at each level ends at its limit`() throws {
        let schema = try JSONSchema([
            "$ref": "#/$defs/n",
            "$defs": [
                "n": [
                    "anyOf": [
                        ["properties": ["a": ["$ref": "#/$defs/n"]], "required": ["x"]],
                        ["properties": ["a": ["$ref": "#/$defs/n"]], "required": ["y"]],
                    ]
                ]
            ],
        ])
        let depth = 60
        let document = try JSONDocument(
            String(repeating: "{\"a\":", count: depth) + "{}" + String(repeating: "}", count: depth))
        let start = ContinuousClock.now

        #expect(!schema.isValid(document))
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func `long numbers that begin alike are told apart in little time`() throws {
        let numbers = (0..<20_000).map { "1\(String(repeating: "0", count: 30 - "\($0)".count))\($0)" }
        let schema = try JSONSchema(["uniqueItems": true])
        let start = ContinuousClock.now

        #expect(schema.isValid(try JSONDocument("[\(numbers.joined(separator: ","))]")))
        #expect(!schema.isValid(try JSONDocument("[\((numbers + [numbers[7]]).joined(separator: ","))]")))
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func `a catastrophic pattern ends at its limit`() throws {
        let schema = try JSONSchema(["pattern": "^(a+)+$"])
        let document = try JSONDocument("\"\(String(repeating: "a", count: 5000))!\"")
        let start = ContinuousClock.now

        let result = schema.validate(document)

        #expect(!result.isValid)
        #expect(result.errors.first?.message.utf8.starts(with: "The document cannot be judged".utf8) == true)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test func `a number of a million digits is exact and takes little time`() throws {
        let digits = String(repeating: "9", count: 1_000_000)
        let schema = try JSONSchema(["type": "integer", "multipleOf": 3, "minimum": 10, "not": ["multipleOf": 2]])
        let start = ContinuousClock.now

        #expect(schema.isValid(try JSONDocument(digits)))
        #expect(!schema.isValid(try JSONDocument("-\(digits)")))
        #expect(!schema.isValid(try JSONDocument("\(digits)1")))
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func `tiny and huge limits are exact`() throws {
        let tiny = try JSONSchema(["multipleOf": .number(try #require(JSONNumber(text: "1e-300")))])
        let huge = try JSONSchema(["maximum": .number(try #require(JSONNumber(text: "1e400")))])

        #expect(tiny.isValid(try JSONDocument("1")))
        #expect(tiny.isValid(try JSONDocument("1.5e-299")))
        #expect(!tiny.isValid(try JSONDocument("1.5e-300")))
        #expect(huge.isValid(try JSONDocument("1e400")))
        #expect(!huge.isValid(try JSONDocument("1.0000000000000000000000001e400")))
    }

    @Test func `a tree as deep as the parser allows is judged`() throws {
        let schema = try JSONSchema(["items": ["$ref": "#"], "minItems": 1])
        let depth = 512
        let valid = String(repeating: "[", count: depth - 1) + "1" + String(repeating: "]", count: depth - 1)

        #expect(schema.isValid(try JSONDocument(valid)))
        let result = schema.validate(
            try JSONDocument(String(repeating: "[", count: depth) + String(repeating: "]", count: depth)))
        #expect(!result.isValid)
    }

    @Test func `rules nested deeper than the limit do not overflow the stack`() throws {
        let schema = try JSONSchema([
            "allOf": [["anyOf": [["$ref": "#/$defs/a"], ["type": "null"]]]],
            "$defs": [
                "a": [
                    "oneOf": [
                        ["if": true, "then": ["anyOf": [["items": ["$ref": "#"], "unevaluatedItems": false]]]]
                    ]
                ]
            ],
        ])
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + "null" + String(repeating: "]", count: depth)
        }

        #expect(schema.isValid(try JSONDocument(nested(100))))
        let result = schema.validate(try JSONDocument(nested(500)))
        #expect(result.errors.first?.message.utf8.starts(with: "The document cannot be judged".utf8) == true)
    }

    @Test func `a pattern with many hyphens beside classes is translated in linear time`() {
        let start = ContinuousClock.now

        #expect(throws: SchemaError.self) {
            try JSONSchema(["pattern": .string(String(repeating: "[t-\\w", count: 12_000))])
        }
        #expect(ContinuousClock.now - start < .seconds(2))
    }

    @Test func `many strings that each cost much have a limit together`() throws {
        let schema = try JSONSchema(["items": ["pattern": "^(a|aa)+$|!$"]])
        let string = "\"\(String(repeating: "a", count: 24))!\""
        let text = "[" + [String](repeating: string, count: 20_000).joined(separator: ",") + "]"
        let start = ContinuousClock.now

        let whole = schema.validate(try JSONDocument(text))
        let streamed = try schema.validation(limit: 1).judge(text)

        #expect(schema.isValid(try JSONDocument("[\(string)]")))
        for result in [whole, streamed] {
            let message = try #require(result.errors.first?.message)
            #expect(message.utf8.starts(with: "The document cannot be judged: a regular expression".utf8))
        }
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func `many dynamic references compile in little time`() throws {
        let count = 3000
        var definitions = JSONObject()
        for number in 0..<count {
            definitions["d\(number)"] = [
                "$id": .string("https://a.test/\(number)"), "$dynamicAnchor": .string("n\(number % 50)"),
                "properties": ["next": ["$dynamicRef": .string("#n\(number % 50)")]],
            ]
        }
        let start = ContinuousClock.now

        let schema = try JSONSchema([
            "$defs": .object(definitions), "allOf": .array((0..<count).map { ["$ref": .string("#/$defs/d\($0)")] }),
        ])

        #expect(schema.isValid(try JSONDocument("{}")))
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test(arguments: [128 << 10, 512 << 10, 1 << 20])
    func `a small stack does not overflow`(size: Int) throws {
        let array = String(repeating: "[", count: 500) + "1" + String(repeating: "]", count: 500)
        let object = String(repeating: "{\"a\":", count: 500) + "1" + String(repeating: "}", count: 500)
        let unique = try JSONSchema(["uniqueItems": true])
        let constants = try [array, object].map { try JSONSchema(["const": JSONParser.parse($0)]) }

        let outcome = try ThreadStack.run(size) {
            let rules: JSONValue = [
                "allOf": [["anyOf": [["$ref": "#/$defs/a"], ["type": "null"]]]],
                "$defs": [
                    "a": ["oneOf": [["if": true, "then": ["items": ["$ref": "#"], "unevaluatedItems": false]]]]
                ],
            ]
            let text = String(repeating: "[", count: 500) + "null" + String(repeating: "]", count: 500)
            let schema = try JSONSchema(rules)
            #expect(!schema.validate(try JSONDocument(text)).isValid)
            #expect(try !unique.isValid(JSONDocument("[\(array),\(array)]")))
            #expect(try !unique.isValid(JSONDocument("[\(object),\(object)]")))
            for (constant, text) in zip(constants, [array, object]) { _ = constant.isValid(try JSONDocument(text)) }
            let flat = try JSONSchema(["items": ["$ref": "#"]])
            #expect(try flat.validation().judge(text).isValid)
        }

        try outcome.get()
    }

    @Test func `a schema that is nested deeper than the stack allows is an error`() throws {
        var schema: JSONValue = true
        for _ in 0..<5000 { schema = ["not": schema] }
        let value = schema

        let outcome = try ThreadStack.run(256 << 10) { _ = try JSONSchema(value) }

        #expect(throws: SchemaError.self) { try outcome.get() }
        schema = true
    }

    @Test func `a deep default beside an embedded dialect needs no more stack than it does alone`() throws {
        var value: JSONValue = 1
        for _ in 0..<450 { value = [value] }
        let schema: JSONValue = [
            "default": value,
            "$defs": ["old": ["$id": "https://x.test/old", "$schema": "http://json-schema.org/draft-07/schema#"]],
        ]

        let size = Sanitizer.present == nil ? 512 << 10 : 2 << 20
        let outcome = try ThreadStack.run(size) { _ = try JSONSchema(schema) }

        try outcome.get()
    }

    @Test func `equal large objects are compared in little time`() throws {
        let keys = (0..<30_000).map { "\"k\($0)\":0" }
        let text = "[{\(keys.joined(separator: ","))},{\(keys.reversed().joined(separator: ","))}]"
        let schema = try JSONSchema(["uniqueItems": true])
        let document = try JSONDocument(text)
        let start = ContinuousClock.now

        #expect(!schema.isValid(document))
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func `a schema is used by many tasks at once`() async throws {
        let schema = try JSONSchema([
            "allOf": [["properties": ["a": ["pattern": "^x+$"]]]], "unevaluatedProperties": false,
        ])
        let valid = try JSONDocument(#"{"a": "xxx"}"#)
        let invalid = try JSONDocument(#"{"a": "xxx", "b": 1}"#)

        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask { (0..<500).allSatisfy { _ in schema.isValid(valid) && !schema.isValid(invalid) } }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}

extension StreamedValidation {
    fileprivate func judge(_ text: String) throws -> ValidationResult {
        try Array(text.utf8).withUnsafeBytes { try update($0) } ?? finish()
    }
}
