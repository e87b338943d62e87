import PlugboardJSON
import PlugboardJSONSchema
import TestSupport
import Testing

/// Schemas whose rules are combined before documents are checked: the verdict and the errors name what was written.
struct PreparationTests {
    private struct Case {
        let schema: String
        let valid: [String]
        let invalid: [String]
    }

    private static let cases = [
        // Two schemas of one object have a property together, and each has one alone.
        Case(
            schema: #"""
                {"allOf": [{"properties": {"a": {"type": "number"}, "c": true}, "required": ["a"]},
                           {"$ref": "#/$defs/x"}],
                 "$defs": {"x": {"properties": {"a": {"minimum": 5}, "b": {"type": "string"}}, "required": ["b"]}},
                 "unevaluatedProperties": false}
                """#,
            valid: ["[]", #"{"a": 5, "b": "x"}"#, #"{"b": "x", "a": 7, "c": []}"#],
            invalid: [
                #"{"a": 4, "b": "x"}"#, #"{"a": "x", "b": "x"}"#, #"{"a": 5, "b": 1}"#, #"{"a": 5}"#, #"{"b": "x"}"#,
                #"{"a": 5, "b": "x", "d": 1}"#, #"{"a": 4, "a": 5, "b": "x"}"#,
            ]),
        // Kinds of numbers that only one of two schemas refuses.
        Case(
            schema: #"{"allOf": [{"type": ["integer", "null"]}, {"type": ["number", "string"], "minimum": 3}]}"#,
            valid: ["3", "4.0", "1e30"], invalid: ["2", "3.5", "null", "\"a\"", "[]", "-1e30"]),
        // A schema that a closed one refers to keeps its own properties.
        Case(
            schema: #"""
                {"properties": {"a": {"$ref": "#/$defs/n"}}, "$ref": "#/$defs/o", "additionalProperties": false,
                 "$defs": {"n": {"type": "integer"}, "o": {"properties": {"b": true}, "required": ["a"]}}}
                """#,
            valid: [#"{"a": 1}"#], invalid: [#"{"a": 1, "b": 1}"#, #"{"a": "x"}"#, "{}"]),
        // Names of properties are strings, behind references as well.
        Case(
            schema: ##"{"propertyNames": {"$ref": "#/$defs/n"}, "$defs": {"n": {"enum": ["ab", "longer than 8"]}}}"##,
            valid: [#"{"ab": 1}"#, #"{"longer than 8": {"x": 1}}"#, "1"],
            invalid: [#"{"abc": 1}"#, #"{"ab": 1, "longer than 9": 1}"#]),
        // The kinds of an array's elements decide, or do not.
        Case(
            schema: #"{"items": {"items": {"type": ["number", "array"], "maximum": 9, "minItems": 1}}}"#,
            valid: ["[[1, 2.5, [0]], []]", "[1, [9]]", "[[[[]]]]"],
            invalid: ["[[1, \"x\"]]", "[[10]]", "[[1, [], 2]]", "[[[1], null]]"]),
        Case(
            schema: #"{"contains": {"items": {"type": "integer"}, "minItems": 2}}"#,
            valid: ["[[1, 2]]", "[[1, 2.5], [3, 4, 5]]"], invalid: ["[[1, 2.5]]", "[[1]]", "[[1, {\"a\": 2}]]"]),
        // A schema that refuses everything, behind references.
        Case(
            schema: ##"{"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"allOf": [false]}}}"##,
            valid: [#"{"b": 1}"#, "1"], invalid: [#"{"a": 1}"#, #"{"a": {}}"#]),
    ]

    @Test(arguments: cases.indices)
    func `combined rules give the same verdict for the whole document and for its bytes`(index: Int) throws {
        let example = PreparationTests.cases[index]
        let schema = try JSONSchema(JSONParser.parse(example.schema))

        for (texts, isValid) in [(example.valid, true), (example.invalid, false)] {
            for text in texts {
                let document = try JSONDocument(text)
                #expect(schema.isValid(document) == isValid, "\(text)")
                #expect(schema.validate(document).isValid == isValid, "\(text)")
                #expect(try isValidByBytes(schema, text) == isValid, "\(text)")
            }
        }
    }

    @Test func `the errors of combined rules name the places of their own schemas`() throws {
        let schema = try JSONSchema(JSONParser.parse(PreparationTests.cases[0].schema))

        let result = schema.validate(try JSONDocument(#"{"a": 4, "b": 1}"#))

        let places = Set(result.json(.basic).description.split(separator: "\"").map(String.init))
        #expect(places.contains("/allOf/1/$ref/properties/a/minimum"))
        #expect(places.contains("/allOf/1/$ref/properties/b/type"))
    }

    @Test func `rules that are combined and branch at each level end at their limit`() throws {
        let schema = try JSONSchema([
            "$ref": "#/$defs/n",
            "$defs": [
                "n": [
                    "allOf": [
                        ["properties": ["a": ["$ref": "#/$defs/n"]]],
                        ["properties": ["a": ["$ref": "#/$defs/n"]]],
                    ]
                ]
            ],
        ])
        let depth = 60
        let document = try JSONDocument(
            String(repeating: "{\"a\":", count: depth) + "{}" + String(repeating: "}", count: depth))
        let start = ContinuousClock.now

        let result = schema.validate(document)

        #expect(result.errors.first?.message.utf8.starts(with: "The document cannot be judged".utf8) == true)
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func `long chains of references are compiled in linear time`() throws {
        let definitions = (0..<5000).map { number -> String in
            let next =
                number == 4999 ? "{\"type\": \"integer\"}" : "{\"allOf\": [{\"$ref\": \"#/$defs/\(number + 1)\"}]}"
            return "\"\(number)\": \(next)"
        }
        // A thousand rules within rules, where the frames of a sanitizer's build do not fill the stack before.
        let first = Sanitizer.present == nil ? 4000 : 4900
        let start = ContinuousClock.now

        let schema = try JSONSchema(
            JSONParser.parse(
                "{\"items\": {\"$ref\": \"#/$defs/\(first)\"}, \"$defs\": {\(definitions.joined(separator: ","))}}"))

        #expect(schema.isValid(try JSONDocument("[1, 2]")))
        #expect(!schema.isValid(try JSONDocument("[1, \"a\"]")))
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    private func isValidByBytes(_ schema: JSONSchema, _ text: String) throws -> Bool {
        let validation = schema.validation()
        for byte in text.utf8 {
            if let result = try [byte].withUnsafeBytes({ try validation.update($0) }) { return result.isValid }
        }
        return try validation.finish().isValid
    }
}
