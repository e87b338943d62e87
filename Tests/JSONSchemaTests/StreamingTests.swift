import PlugboardJSON
import PlugboardJSONSchema
import Testing

/// Documents that are checked while they arrive.
struct StreamingTests {
    /// Schemas that stream, that do not, and that do in parts.
    private static let schemas: [JSONValue] = [
        true, false, ["type": "object"], ["type": ["string", "null"], "maxLength": 2], ["type": "integer"],
        ["items": ["type": "number"], "minItems": 1, "maxItems": 3],
        ["prefixItems": [true, ["const": 2]], "items": false],
        [
            "type": "object", "required": ["a", "b"], "properties": ["a": ["type": "integer"], "b": ["$ref": "#"]],
            "additionalProperties": false,
        ],
        ["minProperties": 1, "maxProperties": 1], ["propertyNames": ["maxLength": 1]],
        ["patternProperties": ["^a": ["type": "integer"]], "additionalProperties": ["type": "string"]],
        ["uniqueItems": true], ["contains": ["const": 1]],
        ["contains": ["const": 1], "maxContains": 1, "minContains": 0],
        ["contains": ["type": ["object", "array"], "minItems": 2], "minContains": 2, "items": ["uniqueItems": true]],
        ["items": ["contains": ["contains": ["minimum": 2]]]], ["anyOf": [["type": "array"], ["required": ["a"]]]],
        ["allOf": [["properties": ["a": true]], ["minProperties": 1]], "unevaluatedProperties": false],
        ["not": ["type": "string"]], ["enum": [1, "a", [1, 2], ["a": 1], .null]], ["dependentRequired": ["a": ["b"]]],
        ["if": ["required": ["a"]], "then": ["required": ["b"]]], ["pattern": "^a+$"], ["multipleOf": 0.5],
        ["anyOf": [["type": "null"], ["type": "object", "properties": ["a": ["type": "integer"]]]]],
        [
            "oneOf": [["type": "array", "items": ["type": "integer"]], ["$ref": "#/$defs/o"]],
            "$defs": ["o": ["type": "object"]],
        ],
        ["oneOf": [["type": "array"], ["type": ["array", "null"]], ["const": ["a": 1]]]],
        ["if": ["type": "array"], "then": ["maxItems": 1], "else": ["type": "object", "minProperties": 2]],
        ["not": ["type": "array"]], ["items": ["anyOf": [["type": "integer"], ["type": "array", "maxItems": 2]]]],
        ["items": ["maxLength": 1], "additionalProperties": ["maxLength": 1]],
        ["oneOf": [["properties": ["a": ["const": 1]]], ["properties": ["a": ["const": 2], "b": ["$ref": "#"]]]]],
        ["items": ["items": ["oneOf": [["type": "integer"], ["minimum": 2]]]]],
        ["$dynamicAnchor": "n", "properties": ["a": ["$dynamicRef": "#n"]], "required": ["a"], "minProperties": 1],
    ]

    private static let texts = [
        "null", "true", "false", "0", "-1.5e2", "1e400", "123456789012345678901234567890", #""""#, #""a""#, #""aaa""#,
        "[]", "[1]", "[1, 2]", "[1, 2, 3, 4]", "[1,1]", "[1,\"a\"]", "{}", #"{"a": 1}"#, #"{"a": 1, "b": {}}"#,
        #"{"a": 1, "b": {"a": 1, "b": 2}}"#, #"{"b": 1}"#, #"{"ab": "x", "c": "y"}"#, #"{"a": {"a": {}}}"#,
        #"[[1, 2], [3, "x"]]"#, #"[[{}], [1.5]]"#, #""\u00e9\ud83d\ude00\\\"é😀""#, #"{"\u0061": 2, "": []}"#,
        " \n[ 1 , { \"a\" : [ ] } ]\t", #"{"a": 1, "a": 2}"#, #"{"a": "x", "a": 2}"#, #"{"a": 2, "a": "x"}"#,
        #"["\u00e9\n", "a\\", "\ud83d\ude00"]"#, #"["\u00e9", "\n"]"#, #"[[1, 2, 3], 4]"#,
        #"{"b\u0061": "\u00e9", "a": {"a": "x\n"}}"#,
    ]

    private static let wrongTexts = [
        "", " ", "nul", "tru", "truex", "01", "-", "1.", "1e", "1 2", "\"", "\"a", "[", "[1,]", "[1 2]", "{", "{a:1}",
        "{\"a\"}", "{\"a\":1,}", "{,}", "[}", "{]", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
        "\"\\udc00\"", "\"\u{1}\"", "1\u{A0}", "1\0", "[1", "{\"a\":1", "\"\\ud800", "\"\\ud800\\", "\u{FEFF}",
    ]

    /// Nil where the text is not JSON.
    private static func verdict(_ schema: JSONSchema, _ pieces: [ArraySlice<UInt8>]) -> Bool? {
        let validation = schema.validation()
        do throws(JSONDocumentError) {
            for piece in pieces {
                let result = Result { () throws(JSONDocumentError) in
                    try Array(piece).withUnsafeBytesChecked { bytes throws(JSONDocumentError) in
                        try validation.update(bytes)
                    }
                }
                if let result = try result.get() { return result.isValid }
            }
            return try validation.finish().isValid
        } catch {
            return nil
        }
    }

    private static func cuts(_ text: [UInt8]) -> [[ArraySlice<UInt8>]] {
        [[text[...]], text.indices.map { text[$0...$0] }] + text.indices.map { [text[..<$0], text[$0...]] }
    }

    @Test func `a document that is cut at any byte has the verdict of the whole one`() throws {
        for value in StreamingTests.schemas {
            let schema = try JSONSchema(value)
            for text in StreamingTests.texts {
                let expected = schema.isValid(try JSONDocument(text))
                for pieces in StreamingTests.cuts(Array(text.utf8)) {
                    #expect(
                        StreamingTests.verdict(schema, pieces) == expected,
                        "\(value): \(text) in \(pieces.map(\.count))")
                }
            }
        }
    }

    @Test func `a text that is not JSON is refused wherever it is cut`() throws {
        let schema = try JSONSchema(true)
        let bytes =
            StreamingTests.wrongTexts.map { Array($0.utf8) } + [
                [0x22, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC3, 0x22],
                [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xF0, 0x9F, 0x98], [0xEF, 0xBB], [0x22, 0xFF, 0x22],
            ]
        for text in bytes {
            for pieces in StreamingTests.cuts(text) {
                #expect(StreamingTests.verdict(schema, pieces) == nil, "\(text) in \(pieces.map(\.count))")
            }
        }
    }

    @Test func `every keyword judges its cases in each of its drafts byte by byte`() throws {
        let groups = try #require(try Cases.file("keywords.json").arrayValue)
        for group in groups {
            for draft in try #require(group["drafts"]?.arrayValue).compactMap(\.stringValue) {
                var options = JSONSchema.Options()
                options.draft = try #require(SchemaDraft(rawValue: draft))
                let schema = try JSONSchema(try #require(group["schema"]), options: options)
                for (name, expected) in [("valid", true), ("invalid", false)] {
                    for instance in try #require(group[name]?.arrayValue) {
                        let text = Array(instance.description.utf8)
                        for pieces in [[text[...]], text.indices.map { text[$0...$0] }] {
                            #expect(
                                StreamingTests.verdict(schema, pieces) == expected, "\(draft): \(group) and \(instance)"
                            )
                        }
                    }
                }
            }
        }
    }

    @Test(.enabled(if: Cases.publicSuite != nil, "skipped: PLUGBOARD_CONFORMANCE does not name the public suite"))
    func `the public suite's required cases of 2020-12 pass byte by byte`() throws {
        let suite = try #require(Cases.publicSuite)
        var registry = SchemaRegistry()
        for path in Cases.files(below: "\(suite)/remotes") {
            registry.add(
                try Cases.parse(path), uri: "http://localhost:1234\(path.dropFirst("\(suite)/remotes".count))")
        }
        for path in Cases.files(below: "\(suite)/tests/draft2020-12") {
            for group in try #require(try Cases.parse(path).arrayValue) {
                let schema = try JSONSchema(try #require(group["schema"]), registry: registry)
                for test in try #require(group["tests"]?.arrayValue) {
                    let text = Array(try #require(test["data"]).description.utf8)
                    for pieces in [[text[...]], text.indices.map { text[$0...$0] }] {
                        #expect(
                            StreamingTests.verdict(schema, pieces) == test["valid"]?.boolValue,
                            "\(path): \(group["description"] ?? .null), \(test["description"] ?? .null)")
                    }
                }
            }
        }
    }

    /// Beginnings that decide: nothing that follows makes the document valid.
    @Test(arguments: [
        (#"{"type": "object"}"#, "["), (#"{"type": "object"}"#, "\""), (#"{"type": "array"}"#, "1"),
        (#"{"properties": {"a": {"type": "integer"}}}"#, #"{"a": ""#),
        (#"{"properties": {"a": {"type": "integer"}}}"#, #"{"b": [1], "a": t"#),
        (#"{"additionalProperties": false}"#, #"{"a""#), (#"{"maxItems": 2}"#, "[1, 2, 3"),
        (#"{"maxProperties": 1}"#, #"{"a": 1, "b""#), (#"{"items": {"maximum": 5}}"#, "[1, 7,"),
        (#"{"propertyNames": {"pattern": "^a"}}"#, #"{"b""#), (#"{"items": {"enum": ["a"]}}"#, #"["b""#),
        (#"{"items": {"required": ["x"]}}"#, "[{}"),
        (#"{"maxLength": 3}"#, "\"" + String(repeating: "a", count: 60)),
        (#"{"items": {"uniqueItems": true}}"#, "[[1, 1]"), (#"{"uniqueItems": true}"#, "[[], 1, 20e-1, 2,"),
        (#"{"contains": {"const": 1}, "maxContains": 1}"#, "[0, 1, 1,"),
        (#"{"contains": {"minItems": 1}, "maxContains": 1}"#, "[[1], {}"),
        (#"{"contains": {"minProperties": 1}, "maxContains": 1}"#, #"[{"a": 1}, {}, {"a": {}}"#),
        (##"{"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "null"}}}"##, "["),
        (
            #"{"items": {"unevaluatedProperties": false, "allOf": [{"properties": {"a": {"type": "null"}}}]}}"#,
            #"[{"a": 1,"#
        ),
        (#"{"anyOf": [{"type": "null"}, {"type": "array", "items": {"type": "integer"}}]}"#, #"[1, ""#),
        (#"{"oneOf": [{"type": "null"}, {"type": "object", "additionalProperties": false}]}"#, #"{"a""#),
        (#"{"anyOf": [{"type": "null"}, {"type": "integer"}]}"#, "["),
        (#"{"anyOf": [{"type": "null"}, {"type": "integer"}]}"#, "\"a"),
        (
            #"{"oneOf": [{"properties": {"t": {"const": "a"}}}, {"allOf": [{"properties": {"t": {"const": "b"}}}]}]}"#,
            #"{"x": [], "t": "c""#
        ),
        (
            #"{"anyOf": [{"properties": {"t": {"const": 1}}}, {"properties": {"u": {"const": 1}}}]}"#,
            #"{"t": 2, "u": 3,"#
        ),
        (
            #"{"oneOf": [{"type": "null"}, {"properties": {"t": {"const": 1}}}, {"properties": {"t": {"const": 2}}}]}"#,
            #"{"t": 3,"#
        ),
        (#"{"enum": [1, {"a": 1}]}"#, "["), (#"{"const": []}"#, "{"),
        (#"{"if": {"type": "string"}, "else": {"maxItems": 1}}"#, "[1,2"),
        ("true", "]"), ("true", "[1 2"), ("true", "\"\\x"), ("true", "\"\\ud800x"), ("true", "nux"), ("true", "{1"),
    ])
    func `the first byte that decides ends the check`(schema: String, beginning: String) throws {
        let schema = try JSONSchema(try JSONParser.parse(schema))
        let text = Array(beginning.utf8)

        for pieces in [[text[...]], text.indices.map { text[$0...$0] }] {
            let validation = schema.validation()
            var isDecided = false
            for piece in pieces where !isDecided {
                let result = Result { try Array(piece).withUnsafeBytes { try validation.update($0) } }
                isDecided = if case .success(nil) = result { false } else { true }
            }
            #expect(isDecided)
        }
    }

    @Test(arguments: [
        #"{"items": {"properties": {"id": {"type": "integer"}}, "required": ["id"]}}"#,
        #"{"anyOf": [{"type": "null"}, {"items": {"required": ["id"]}, "type": "array"}], "not": {"type": "object"}}"#,
        #"{"contains": {"required": ["id"]}, "minContains": 3}"#,
        #"{"contains": {"required": ["none"]}, "minContains": 0, "maxContains": 2}"#,
    ])
    func `what streams needs no memory for what was read`(schema: String) throws {
        let schema = try JSONSchema(try JSONParser.parse(schema))
        let validation = schema.validation()
        let element = Array((#"{"id": 1, "text": ""# + String(repeating: "x", count: 500) + "\"},").utf8)
        let piece = (0..<100).flatMap { _ in element }
        _ = try Array("[".utf8).withUnsafeBytes { try validation.update($0) }
        for _ in 0..<50 {
            #expect(try piece.withUnsafeBytes { try validation.update($0) } == nil)
            #expect(validation.keptByteCount < 200_000)
        }
        #expect(try Array("{\"id\": 2}]".utf8).withUnsafeBytes { try validation.update($0) } == nil)
        #expect(try validation.finish().isValid)
    }

    @Test func `of equal keys every value must match, and counts once`() throws {
        let typed = try JSONSchema(["properties": ["a": ["type": "integer"]]])
        let counted = try JSONSchema(["required": ["a", "b"], "maxProperties": 2, "minProperties": 2])

        for (schema, text, expected) in [
            (typed, #"{"a": "x", "a": 1}"#, false), (typed, #"{"a": 1, "a": "x"}"#, false),
            (typed, #"{"a": 2, "a": 1}"#, true), (counted, #"{"a": 1, "a": 1, "b": 1}"#, true),
            (counted, #"{"a": 1, "a": 1}"#, false),
        ] {
            for pieces in StreamingTests.cuts(Array(text.utf8)) {
                #expect(StreamingTests.verdict(schema, pieces) == expected, "\(text)")
            }
            #expect(schema.isValid(try JSONDocument(text)) == expected, "\(text)")
            #expect(schema.validate(try JSONDocument(text)).isValid == expected, "\(text)")
        }
    }

    @Test func `schemas of a union that are followed need no work that the object's end needs`() throws {
        let branches: [JSONValue] = (1..<64).map {
            ["properties": ["p": ["const": .number(JSONNumber($0))]], "required": ["none"]]
        }
        let union: JSONValue = ["oneOf": .array([["properties": ["p": ["type": "null"]]]] + branches)]
        let schema = try JSONSchema(["allOf": .array([JSONValue](repeating: union, count: 30))])
        let text = "{" + (0..<2500).map { "\"a\($0)\":1" }.joined(separator: ",") + "}"

        #expect(schema.isValid(try JSONDocument(text)))
        let bytes = Array(text.utf8)
        #expect(StreamingTests.verdict(schema, [bytes[..<100], bytes[100...]]) == true)
    }

    @Test func `depth and size have limits, and long values in small pieces take linear time`() throws {
        let schema = try JSONSchema(true)
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        #expect(StreamingTests.verdict(schema, [deep[...]]) == nil)
        var options = JSONDocument.Options()
        options.sizeLimit = 10
        let small = schema.validation(options: options)
        #expect(throws: JSONDocumentError.self) {
            try [UInt8](repeating: 0x20, count: 11).withUnsafeBytes { try small.update($0) }
        }

        let start = ContinuousClock.now
        for (quote, filling) in [("\"", "a"), ("\"", "é"), ("\"", "\\u00e9"), ("", "7")] {
            let text = Array((quote + String(repeating: filling, count: 1_000_000) + quote).utf8)
            let pieces = stride(from: 0, to: text.count, by: 10).map { text[$0..<min($0 + 10, text.count)] }
            #expect(StreamingTests.verdict(schema, pieces) == true)
        }
        #expect(ContinuousClock.now - start < .seconds(60))
    }
}

extension Array<UInt8> {
    fileprivate func withUnsafeBytesChecked<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try withUnsafeBytes { bytes in Result { () throws(Failure) in try body(bytes) } }.get()
    }
}
