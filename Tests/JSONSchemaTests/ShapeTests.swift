import PlugboardJSON
import PlugboardJSONSchema
import Testing

/// The short class map.
struct ShapeTests {
    private let shape: Shape = [
        "userId": .number, "nick": .optional(.string), "tags": [.string], "parent": .nullable(["id": .integer]),
    ]

    @Test(arguments: [
        (#"{"userId": 1, "tags": [], "parent": null}"#, true),
        (#"{"userId": 1.5, "nick": "n", "tags": ["a"], "parent": {"id": 1}, "more": 1}"#, true),
        (#"{"userId": 1, "tags": [1], "parent": null}"#, false),
        (#"{"userId": "1", "tags": [], "parent": null}"#, false),
        (#"{"userId": 1, "tags": [], "parent": {}}"#, false),
        (#"{"userId": 1, "nick": 1, "tags": [], "parent": null}"#, false),
        (#"{"tags": [], "parent": null}"#, false), ("[]", false),
    ])
    func `a shape judges a document`(text: String, expected: Bool) throws {
        #expect(try JSONSchema(shape).isValid(try JSONDocument(text)) == expected)
    }

    @Test func `a shape in JSON means the same as one in code`() throws {
        let json: JSONValue = ["userId": "number", "nick?": "string", "tags": ["string"]]

        #expect(try Shape(json) == ["userId": .number, "nick": .optional(.string), "tags": [.string]])
        #expect(try Shape("string?") == .nullable(.string))
    }

    @Test(arguments: [#""strin""#, "1", "[]", #"["string", "number"]"#, #"{"a": true}"#])
    func `a mistake in a shape is an error`(text: String) throws {
        let value = try JSONParser.parse(text)

        #expect(throws: ShapeError.self) { try Shape(value) }
    }
}
