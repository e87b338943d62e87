import PlugboardJSON
import PlugboardJSONSchema
import Testing

/// What a result says.
struct OutputTests {
    private let schema: JSONValue = [
        "$id": "https://x.test/s", "$defs": ["age": ["type": "integer", "minimum": 0]], "required": ["name"],
        "properties": ["name": ["type": "string"], "ages": ["items": ["$ref": "#/$defs/age"]]],
        "additionalProperties": false,
    ]

    @Test func `each error names the place in the document, the path of keywords, the keyword's URI and the rule`()
        throws
    {
        let result = try JSONSchema(schema).validate(try JSONDocument(#"{"ages": [1, -5], "x/y": 1}"#))

        let leaves = result.leaves
        #expect(leaves.map(\.instanceLocation) == ["", "/ages/1", "/x~1y"])
        #expect(leaves.map(\.rule) == ["required", "minimum", "additionalProperties"])
        #expect(
            leaves.map(\.keywordLocation) == [
                "/required", "/properties/ages/items/$ref/minimum", "/additionalProperties",
            ])
        #expect(leaves[1].absoluteKeywordLocation == "https://x.test/s#/$defs/age/minimum")
    }

    @Test func `errors do not contain the data`() throws {
        let result = try JSONSchema(schema).validate(try JSONDocument(#"{"name": 918273, "ages": [-918273]}"#))

        #expect(
            !result.json(.detailed).description.utf8.split(separator: UInt8(ascii: "9")).contains {
                $0.starts(with: "18273".utf8)
            })
    }

    @Test(arguments: [
        ("7", "7"), ("-1.50", "-1.50"), ("0.001", "0.001"), ("1e400", "1e400"), ("true", "true"),
        (#""a\"\u0001é""#, #""a\"\u0001é""#), (#"[1,{"a":[null,false]}]"#, #"[1,{"a":[null,false]}]"#),
        (#""ééééééééééééééééééé""#, #""éééééééééééé…"#),
    ])
    func `errors quote the value where that was asked for, and cut a long one`(text: String, shown: String) throws {
        let schema = try JSONSchema(["not": true])

        let asked = schema.validate(try JSONDocument(text), valueLimit: 25)
        let streamed = schema.validation(valueLimit: 25)
        _ = try Array(text.utf8).withUnsafeBytes { try streamed.update($0) }

        #expect(asked.leaves.first?.value == shown)
        #expect(try streamed.finish().leaves.first?.value == shown)
        #expect(asked.json(.basic)["errors"]?[0]?["value"] == .string(shown))
        #expect(asked.json(.detailed)["errors"]?[0]?["value"] == .string(shown))
        #expect(
            asked.leaves.first?.description
                == "(root): The value must not match the schema of not. (/not) The value is \(shown).")
        let other = schema.validate(try JSONDocument(text))
        #expect(other.leaves.first?.value == nil)
        #expect(other.json(.detailed)["errors"]?[0]?["value"] == nil)
    }

    @Test func `a number of any length is quoted in the time of a short one`() throws {
        let schema = try JSONSchema(["allOf": .array(Array(repeating: ["type": "string"], count: 100))])
        func time(_ length: Int) throws -> Duration {
            let document = try JSONDocument(String(repeating: "1", count: length))
            return try (0..<4).reduce(.seconds(60)) { best, _ in
                let start = ContinuousClock.now
                let leaves = schema.validate(document, valueLimit: 25).leaves
                let time = ContinuousClock.now - start
                try #require(leaves.count == 100)
                #expect(leaves.last?.value == String(repeating: "1", count: 25) + "…")
                return min(best, time)
            }
        }

        #expect(try time(4 << 20) < time(1000) * 10)
    }

    @Test func `the formats flag, basic and detailed follow the specification`() throws {
        let result = try JSONSchema(schema).validate(try JSONDocument(#"{"name": 1, "ages": [-1]}"#))

        #expect(result.json(.flag) == ["valid": false])
        let basic = try #require(result.json(.basic)["errors"]?.arrayValue)
        #expect(
            basic.contains {
                $0["instanceLocation"] == "/ages/0" && $0["keywordLocation"] == "/properties/ages/items/$ref/minimum"
            })
        let detailed = try #require(result.json(.detailed)["errors"]?.arrayValue)
        #expect(detailed.count == 2)
        #expect(try JSONSchema(schema).validate(try JSONDocument(#"{"name": ""}"#)).json(.basic) == ["valid": true])
    }

    @Test func `the number of errors is limited`() throws {
        let numbers = (0..<1000).map { "\($0)" }.joined(separator: ",")

        let result = try JSONSchema(["items": ["type": "string"]]).validate(try JSONDocument("[\(numbers)]"), limit: 5)

        #expect(result.leaves.count == 5)
    }
}
