import PlugboardJSON
import PlugboardJSONSchema
import Testing

/// Schemas that cannot be compiled.
struct SchemaErrorTests {
    @Test(arguments: [
        #"1"#, #"[]"#, #"{"type": "strin"}"#, #"{"type": 1}"#, #"{"properties": []}"#, #"{"required": "a"}"#,
        #"{"required": [1]}"#, #"{"minLength": -1}"#, #"{"minLength": 1.5}"#, #"{"minimum": "1"}"#,
        #"{"multipleOf": 0}"#,
        #"{"enum": 1}"#, #"{"allOf": []}"#, #"{"allOf": {}}"#, #"{"items": [1]}"#, #"{"pattern": 1}"#, #"{"$ref": 1}"#,
        #"{"$id": 5}"#, #"{"$schema": 5}"#, #"{"$defs": []}"#, #"{"$defs": {"a": 5}}"#, #"{"then": 5}"#,
        #"{"description": 5}"#, #"{"$anchor": "a b"}"#, #"{"required": ["a", "a"]}"#, #"{"type": []}"#,
        #"{"definitions": {"x": {"type": "strng"}}}"#,
        #"{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"x": {"type": "strng"}}}"#,
        #"{"properties": {"a": 1}}"#, #"{"uniqueItems": 1}"#, #"{"dependentRequired": {"a": {}}}"#, #"{"format": 1}"#,
    ])
    func `a schema that does not follow its draft is refused with its place`(text: String) throws {
        let schema = try JSONParser.parse(text)

        let error = #expect(throws: SchemaError.self) { try JSONSchema(schema) }

        #expect(error?.kind == .invalid)
        #expect(error?.location.utf8.contains(UInt8(ascii: "#")) == true)
    }

    @Test(arguments: [
        (
            #"{"$schema": "http://json-schema.org/draft-04/schema#", "definitions": {"x": {"type": "strng"}}}"#,
            "#/definitions/x/type"
        ),
        (
            #"{"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"x": {"required": true}}}"#,
            "#/properties/x/required"
        ),
        (#"{"$schema": "http://json-schema.org/draft-04/schema#", "title": 5}"#, "#/title"),
        (
            #"{"$defs": {"old": {"$id": "a", "$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"x": 5}}}}"#,
            "#/$defs/old/definitions/x"
        ),
        (
            #"{"title": 5, "$defs": {"old": {"$id": "a", "$schema": "http://json-schema.org/draft-07/schema#"}}}"#,
            "#/title"
        ),
    ])
    func `old drafts and embedded dialects are checked against their own meta-schemas`(text: String, place: String)
        throws
    {
        let schema = try JSONParser.parse(text)

        let error = #expect(throws: SchemaError.self) { try JSONSchema(schema) }

        #expect(error?.kind == .invalid)
        #expect(
            error?.location.utf8.suffix(place.utf8.count).elementsEqual(place.utf8) == true,
            "\(String(describing: error))")
    }

    @Test func `documents of several dialects that follow them are accepted, and a meta-schema of one's own counts`()
        throws
    {
        let mixed: JSONValue = [
            "$defs": [
                "old": [
                    "id": "https://x.test/old", "$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1,
                    "exclusiveMinimum": true,
                ]
            ], "$ref": "https://x.test/old",
        ]
        #expect(try JSONSchema(mixed).isValid(try JSONDocument("2")))
        #expect(try !JSONSchema(mixed).isValid(try JSONDocument("1")))

        var registry = SchemaRegistry()
        registry.add(
            [
                "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://x.test/meta",
                "allOf": [["$ref": "https://json-schema.org/draft/2020-12/schema"]], "required": ["title"],
            ], uri: "https://x.test/meta")
        let titled: JSONValue = ["$schema": "https://x.test/meta", "title": "t", "type": "null"]
        #expect(try JSONSchema(titled, registry: registry).isValid(try JSONDocument("null")))
        let error = #expect(throws: SchemaError.self) {
            try JSONSchema(["$schema": "https://x.test/meta", "type": "null"], registry: registry)
        }
        #expect(error?.kind == .invalid)
    }

    @Test func `a meta-schema that forbids a keyword by false counts, and does not judge embedded dialects`() throws {
        var registry = SchemaRegistry()
        registry.add(
            [
                "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://x.test/meta",
                "$dynamicAnchor": "meta", "allOf": [["$ref": "https://json-schema.org/draft/2020-12/schema"]],
                "properties": ["old": false], "required": ["title"],
            ], uri: "https://x.test/meta")
        func schema(_ rest: JSONObject) -> JSONValue {
            var schema: JSONObject = ["$schema": "https://x.test/meta", "title": "t"]
            for (key, value) in rest { schema[key] = value }
            return .object(schema)
        }

        let error = #expect(throws: SchemaError.self) { try JSONSchema(schema(["old": 1]), registry: registry) }
        let inner = #expect(throws: SchemaError.self) {
            try JSONSchema(schema(["$defs": ["a": ["type": "null"]]]), registry: registry)
        }
        let mixed = try JSONSchema(
            schema([
                "$defs": ["a": ["$id": "a", "$schema": "http://json-schema.org/draft-07/schema#", "old": 1]],
                "not": ["$ref": "a", "title": "n"],
            ]), registry: registry)

        #expect(error?.kind == .invalid && error?.location == "#/old", "\(String(describing: error))")
        #expect(inner?.location == "#/$defs/a", "\(String(describing: inner))")
        #expect(!mixed.isValid(try JSONDocument("1")))
    }

    @Test(arguments: [
        ##"{"$ref": "#"}"##, ##"{"allOf": [{"$ref": "#"}]}"##,
        ##"{"not": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}}"##,
        ##"{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}"##,
    ])
    func `a schema that refers to itself without end is refused`(text: String) throws {
        let schema = try JSONParser.parse(text)

        let error = #expect(throws: SchemaError.self) { try JSONSchema(schema) }

        #expect(error?.kind == .endless)
    }

    @Test func `a reference to a missing document names it, and works once it is registered`() throws {
        let schema: JSONValue = ["$id": "https://x.test/a/b", "items": ["$ref": "c#/$defs/d"]]
        var registry = SchemaRegistry()

        let error = #expect(throws: SchemaError.self) { try JSONSchema(schema) }
        registry.add(["$defs": ["d": ["type": "string"]]], uri: "https://x.test/a/c")
        let compiled = try JSONSchema(schema, registry: registry)

        #expect(error?.kind == .missingDocument("https://x.test/a/c"))
        #expect(compiled.isValid(try JSONDocument(#"["x"]"#)))
        #expect(!compiled.isValid(try JSONDocument("[1]")))
    }

    @Test(arguments: [
        ##"{"$ref": "#/$defs/a"}"##, ##"{"$ref": "#a"}"##, ##"{"$ref": "#/%FF"}"##,
        ##"{"allOf": [true], "not": {"$ref": "#/allOf/+0"}}"##, ##"{"allOf": [true], "not": {"$ref": "#/allOf/00"}}"##,
    ])
    func `a reference to a place that does not exist is refused`(text: String) throws {
        let schema = try JSONParser.parse(text)

        let error = #expect(throws: SchemaError.self) { try JSONSchema(schema) }

        #expect(error?.kind == .missingTarget)
    }

    @Test(arguments: [
        "(", ")", "[", "*", "a**", "a++", "(?>a)", "(?#c)", "(?P<n>a)", "\\a", "\\Z", "\\p{Foo}", "\\p{Greek}",
        "\\k<n>",
        "(a)\\2", "\\c1", "\\x1", "\\u12", "[b-a]", "a{2,1}", "(?<=a+)b", "\\ud800", "\\u{110000}", "\\", "(*ACCEPT)",
        "(?<n>a)(?<n>b)", "\\01", "(?=a)*", String(repeating: "(", count: 300) + String(repeating: ")", count: 300),
        "\\Qa\\E", "\\h", "\\R", "\\X", "\\G", "a{99999}",
    ])
    func `a pattern that cannot be translated is refused`(pattern: String) {
        let error = #expect(throws: SchemaError.self) { try JSONSchema(["pattern": .string(pattern)]) }

        #expect(error?.kind == .pattern)
    }

    @Test func `a required vocabulary that is unknown is refused, an optional one is not`() throws {
        func registry(_ isRequired: Bool) -> SchemaRegistry {
            var registry = SchemaRegistry()
            registry.add(
                [
                    "$schema": "https://json-schema.org/draft/2020-12/schema",
                    "$vocabulary": [
                        "https://json-schema.org/draft/2020-12/vocab/core": true, "https://x.test/v": .bool(isRequired),
                    ],
                ], uri: "https://x.test/meta")
            return registry
        }
        let schema: JSONValue = ["$schema": "https://x.test/meta", "minimum": 5]

        #expect(throws: SchemaError.self) { try JSONSchema(schema, registry: registry(true)) }
        // Without the vocabulary of validation, minimum means nothing.
        #expect(try JSONSchema(schema, registry: registry(false)).isValid(try JSONDocument("1")))
    }
}
