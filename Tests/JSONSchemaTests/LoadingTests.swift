import PlugboardJSON
import PlugboardJSONSchema
import Synchronization
import Testing

/// Documents that are loaded while a schema is compiled.
struct LoadingTests {
    private static let documents: [String: JSONValue] = [
        "https://a.test/a": ["properties": ["b": ["$ref": "b"], "own": ["$ref": "#/properties/n"], "n": ["const": 1]]],
        "https://a.test/b": ["properties": ["a": ["$ref": "a"]], "required": ["a"]],
        "https://a.test/dialect": [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$vocabulary": ["https://json-schema.org/draft/2020-12/vocab/core": true],
        ],
    ]

    private final class Loader: Sendable {
        let loaded = Mutex<[String]>([])

        func load(_ uri: String) -> JSONValue? {
            loaded.withLock { $0.append(uri) }
            return LoadingTests.documents[uri]
        }
    }

    @Test func `documents that refer to each other are loaded once each`() async throws {
        let loader = Loader()

        let schema = try await JSONSchema(["$ref": "https://a.test/a"], documentLimit: 8) { loader.load($0) }

        #expect(loader.loaded.withLock(\.self) == ["https://a.test/a", "https://a.test/b"])
        #expect(schema.isValid(try JSONDocument(#"{"b": {"a": {"own": 1}}}"#)))
        #expect(!schema.isValid(try JSONDocument(#"{"b": {}}"#)))
        #expect(!schema.isValid(try JSONDocument(#"{"b": {"a": {"own": 2}}}"#)))
    }

    @Test func `a meta-schema is loaded, too`() async throws {
        let loader = Loader()

        let schema = try await JSONSchema(["$schema": "https://a.test/dialect", "type": "string"], documentLimit: 1) {
            loader.load($0)
        }

        #expect(schema.isValid(try JSONDocument("1")))
    }

    @Test func `each document of a long chain is loaded once, in linear time`() async throws {
        let count = 1000
        let loads = Mutex(0)
        let start = ContinuousClock.now

        let schema = try await JSONSchema(["$ref": "https://a.test/0"], documentLimit: count) { uri in
            loads.withLock { $0 += 1 }
            let number = Int(uri.dropFirst("https://a.test/".count)) ?? 0
            return number + 1 == count
                ? ["type": "null"]
                : ["anyOf": [["const": .number(JSONNumber(number))], ["$ref": .string("\(number + 1)")]]]
        }

        #expect(schema.isValid(try JSONDocument("500")))
        #expect(!schema.isValid(try JSONDocument("true")))
        #expect(loads.withLock(\.self) == count)
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func `documents that are missing together are asked for in order, a dialect within one first`()
        async throws
    {
        let loader = Loader()

        let schema = try await JSONSchema(
            [
                "allOf": [["$ref": "https://a.test/b"], ["$ref": "#/$defs/d"]],
                "$defs": ["d": ["$id": "https://a.test/x", "$schema": "https://a.test/dialect", "type": "string"]],
            ],
            documentLimit: 3
        ) { loader.load($0) }

        #expect(
            loader.loaded.withLock(\.self) == ["https://a.test/dialect", "https://a.test/b", "https://a.test/a"])
        #expect(schema.isValid(try JSONDocument(#"{"a": {}}"#)))
        #expect(!schema.isValid(try JSONDocument("{}")))
    }

    @Test func `a document that must not be loaded, and one too many, are errors`() async throws {
        let loader = Loader()
        let missing = await #expect(throws: SchemaError.self) {
            try await JSONSchema(["$ref": "https://a.test/c"], documentLimit: 8) { loader.load($0) }
        }
        let many = await #expect(throws: SchemaError.self) {
            try await JSONSchema(["$ref": "https://a.test/a"], documentLimit: 1) { loader.load($0) }
        }

        #expect(missing?.kind == .missingDocument("https://a.test/c"))
        #expect(many?.kind == .limit)
    }
}
