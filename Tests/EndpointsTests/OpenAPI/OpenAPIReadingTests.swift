import Foundation
import Plugboard
import PlugboardCore
import PlugboardEndpoints
import TestSupport
import Testing

struct OpenAPIReadingTests {
    /// A document with these paths and components.
    func document(_ paths: String, _ rest: String = "") -> String {
        #"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": \#(paths)\#(rest)}"#
    }

    func errors(_ text: String) -> [String] {
        let check = Definitions.check(text.utf8)
        return (check.errors + (check.definitions?.defects ?? [])).map { "\($0.path) \($0.reason)" }
    }

    @Test func `operations are definitions, by operationId or else by method and path`() throws {
        let definitions = try Definitions.text(
            document(
                #"{"/a": {"get": {"operationId": "listA", "summary": "Lists.\nAll.", "deprecated": true}, "post": {}}}"#
            ))

        #expect(definitions.names == ["listA", "POST /a"])
        #expect(definitions["listA"]?.documentation == "Lists.")
        #expect(definitions["listA"]?.isDeprecated == true)
        #expect(definitions["POST /a"]?.method == .post)
    }

    @Test(arguments: [(33 << 20, true), (64 << 20, false)])
    func `documents of the same size are read for calls and by the plugin validator`(
        padding: Int, isRead: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let text = document(#"{"/a": {"get": {"operationId": "a"}}}"#)
        let path = try folder.write("api.json", Array(text.utf8) + [UInt8](repeating: 0x20, count: padding))
        let validator = PluginEntry(id: "validator", path: nil, settings: ["openapi": [.string(path)]])

        let kernel = try? Kernel(configuration: Configuration(plugins: [validator]), log: .silent)

        #expect((kernel != nil) == isRead)
        #expect(Definitions.check(file: path).errors.isEmpty == isRead)
        await kernel?.shutDown()
    }

    @Test func `parameters of the path are those of its operations, unless an operation has its own`() throws {
        let definitions = try Definitions.text(
            document(
                #"""
                {"/a/{id}": {
                  "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}},
                                 {"name": "q", "in": "query", "schema": {"type": "string"}}],
                  "get": {"operationId": "a", "parameters": [{"name": "q", "in": "query", "schema": {"type": "number"}}]},
                  "put": {"operationId": "b"}}}
                """#))

        #expect(definitions["a"]?.parameters.map(\.kind) == [.integer, .number])
        #expect(definitions["b"]?.parameters.map(\.kind) == [.integer, .string])
    }

    @Test func `of two parameters with one name, the second is called by its place too`() throws {
        let definitions = try Definitions.text(
            document(
                #"""
                {"/a/{id}": {"post": {"operationId": "a",
                  "parameters": [{"name": "id", "in": "path", "required": true}, {"name": "id", "in": "query"}],
                  "requestBody": {"content": {"application/json": {"schema": {"properties": {"id": {}}}}}}}}}
                """#))

        #expect(definitions["a"]?.parameters.map(\.name) == ["id", "query.id", "body.id"])
    }

    @Test func `types of 3.0 and 3.1 are read, through references and allOf`() throws {
        let schemas = #"""
            , "components": {"schemas": {
              "A": {"type": "integer", "nullable": true}, "B": {"$ref": "#/components/schemas/A"},
              "C": {"allOf": [{"description": "x"}, {"$ref": "#/components/schemas/A"}]}}}
            """#
        let types = [
            #"{"type": "string", "enum": ["a", "b"]}"#, #"{"type": ["number", "null"]}"#,
            ##"{"$ref": "#/components/schemas/B"}"##, ##"{"$ref": "#/components/schemas/C"}"##,
            #"{"type": "array", "items": {"type": "boolean"}}"#, #"{"const": 7}"#, "{}", "true",
            #"{"anyOf": [{"type": "integer"}, {"type": "null"}]}"#,
            #"{"oneOf": [{"type": "integer"}, {"type": "string"}]}"#,
        ]
        let parameters = types.enumerated().map { #"{"name": "p\#($0)", "in": "query", "schema": \#($1)}"# }
        let text = document(#"{"/a": {"get": {"parameters": [\#(parameters.joined(separator: ","))]}}}"#, schemas)

        let read = try #require(try Definitions.text(text)["GET /a"]).parameters

        #expect(read.map(\.kind) == [.string, .number, .integer, .integer, .array, .any, .any, .any, .integer, .any])
        #expect(read[0].values == ["a", "b"])
        #expect(read[1].takesNull && read[2].takesNull && read[3].takesNull && read[8].takesNull)
        #expect(read[4].elementKind == .boolean)
        #expect(read[5].values == [7])
    }

    @Test func `the first server is the base, with the defaults of its variables`() throws {
        let servers = #"""
            , "servers": [{"url": "https://{host}.example/{v}/", "variables": {
              "host": {"default": "eu", "enum": ["eu", "us"]}, "v": {"default": "v1"}}}, {"url": "https://test.example"}]
            """#
        let text = document(
            #"{"/a": {"get": {"operationId": "a"}, "servers": [{"url": "https://cdn.example"}], "put": {"operationId": "b", "servers": [{"url": "/v9"}]}}, "/b": {"get": {"operationId": "c"}}}"#,
            servers)

        let first = try Definitions.text(text)
        let chosen = try Definitions.text(text, server: ServerChoice(variables: ["host": "us", "v": "v2"]))
        let second = try Definitions.text(text, server: ServerChoice(index: 1))
        let own = try Definitions.text(text, server: ServerChoice(url: "http://127.0.0.1:1/x/"))

        #expect(first["a"]?.base == "https://cdn.example")
        #expect(first["b"]?.base == nil && first["b"]?.pathPrefix == "/v9")
        #expect(first["c"]?.base == "https://eu.example/v1")
        #expect(chosen["c"]?.base == "https://us.example/v2")
        #expect(second["c"]?.base == "https://test.example")
        #expect(own["a"]?.base == "http://127.0.0.1:1/x" && own["b"]?.base == "http://127.0.0.1:1/x")
    }

    @Test func `a choice that does not fit the servers is an error`() {
        let text = document(
            #"{"/a": {"get": {}}}"#,
            #", "servers": [{"url": "https://{host}.example", "variables": {"host": {"default": "eu", "enum": ["eu"]}}}]"#
        )
        func errors(_ choice: ServerChoice) -> [String] {
            Definitions.check(text.utf8, server: choice).errors.map { "\($0.path) \($0.reason)" }
        }

        #expect(errors(ServerChoice(index: 3)) == ["servers has 1 server, so that there is no server 3"])
        #expect(errors(ServerChoice(variables: ["hst": "x"])) == ["servers has no variable hst; did you mean host?"])
        #expect(errors(ServerChoice(variables: ["host": "x"])) == ["servers[0].variables.host must be one of eu"])
        #expect(errors(ServerChoice(url: "nowhere")).count == 1)
    }

    @Test func `security is that of the operation, or else of the document`() throws {
        let rest = #"""
            , "security": [{"b": []}], "components": {"securitySchemes": {
              "b": {"type": "http", "scheme": "Bearer"}, "u": {"type": "http", "scheme": "basic"},
              "o": {"type": "oauth2", "flows": {}}, "k": {"type": "apiKey", "in": "query", "name": "key"},
              "m": {"type": "mutualTLS"}, "d": {"type": "http", "scheme": "digest"}}}
            """#
        let definitions = try Definitions.text(
            document(
                #"""
                {"/a": {"get": {"operationId": "a"}, "put": {"operationId": "b", "security": []},
                  "post": {"operationId": "c", "security": [{"u": [], "k": []}, {"o": ["read"]}]},
                  "patch": {"operationId": "d", "security": [{"k": []}, {}]},
                  "delete": {"operationId": "e", "security": [{"m": []}]}}}
                """#, rest))

        #expect(definitions["a"]?.security == [[SecurityScheme("b", .bearer)]])
        #expect(definitions["a"]?.needsAuthorization == true)
        #expect(definitions["b"]?.needsAuthorization == false)
        #expect(
            definitions["c"]?.security == [
                [SecurityScheme("u", .basic), SecurityScheme("k", .key(.query, "key"))], [SecurityScheme("o", .bearer)],
            ])
        #expect(definitions["d"]?.needsAuthorization == nil)
        #expect(definitions["e"]?.security == [])
        #expect(
            definitions.unsupported.map(\.path) == [
                "components.securitySchemes.m.type", "components.securitySchemes.d.scheme",
            ])
    }

    @Test func `what cannot be expressed is listed with its path, and the rest can be called`() throws {
        let definitions = try Definitions.text(
            document(
                #"""
                {"/a": {"post": {"operationId": "a", "callbacks": {"x": {}}, "operationID": "b",
                  "parameters": [{"name": "x", "in": "query", "content": {"application/xml": {}}}],
                  "responses": {"200": {"$ref": "other.json#/x"}, "default": {"description": ""}}},
                  "x-ours": {}}}
                """#, #", "webhooks": {"w": {}}"#
            ).replacing("\"200\"", with: "\"400\""))

        #expect(definitions.names == ["a"])
        #expect(
            definitions.unsupported.map(\.path) == [
                #"paths["/a"].post.callbacks"#, #"paths["/a"].post.operationID"#,
                #"paths["/a"].post.parameters[0].content["application/xml"]"#,
                #"paths["/a"].post.responses.400["$ref"]"#, "webhooks",
            ])
        #expect(
            definitions.unsupported.first { $0.path.hasSuffix("operationID") }?.reason
                == "is not a key of OpenAPI and is ignored; did you mean operationId?")
    }

    @Test func `schemas that refer to themselves are read`() throws {
        let definitions = try Definitions.text(
            document(
                ##"{"/a": {"post": {"operationId": "a", "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}}}}}}"##,
                ##", "components": {"schemas": {"Tree": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}}}}"##
            ))

        #expect(definitions["a"]?.parameters.map(\.kind) == [.array])
    }

    /// Documents of other authors, as a list of paths with colons between them: the tests ship none.
    private static let others = ProcessInfo.processInfo.environment["PLUGBOARD_OPENAPI"]

    @Test(.enabled(if: others != nil, "PLUGBOARD_OPENAPI names no document"))
    func `documents of other authors are read`() throws {
        for path in try #require(OpenAPIReadingTests.others).split(separator: ":") {
            let definitions = try Definitions.file(String(path), server: ServerChoice(url: "http://127.0.0.1:9"))

            #expect(definitions.names.count > 20)
            #expect(definitions.all.allSatisfy { $0.base == "http://127.0.0.1:9" })
        }
    }

    @Test func `documents are read in linear time`() {
        expectLinearTime(
            "operations", size: 40_000,
            input: { size in
                let paths = (0..<size / 130).map {
                    ##""/a\##($0)/{b}": {"get": {"operationId": "o\##($0)", "parameters": [{"$ref": "#/components/parameters/b"}]}}"##
                }
                return document(
                    "{\(paths.joined(separator: ","))}",
                    #", "components": {"parameters": {"b": {"name": "b", "in": "path"}}}"#)
            }, read: { #expect(Definitions.check($0.utf8).errors.isEmpty) })
        for (kind, operation) in [
            ("operations that lead to nothing", ##""get": {"$ref": "#/nothing"}"##),
            ("operations of one name", #""get": {"operationId": "one"}"#),
            (
                "operations with an unknown style",
                #""get": {"parameters": [{"name": "q", "in": "query", "style": "odd"}]}"#
            ),
        ] {
            expectLinearTime(
                kind, size: 40_000,
                input: { size in
                    let paths = (0..<size / 60).map { "\"/a\($0)\": {\(operation)}" }
                    return document("{\(paths.joined(separator: ","))}")
                }, read: { _ = Definitions.check($0.utf8) })
        }
        expectLinearTime(
            "references to nothing", size: 40_000,
            input: { size in
                let schemas = (0..<size / 50).map { ##""s\##($0)": {"$ref": "#/components/schemas/t\##($0)"}"## }
                return document("{}", #", "components": {"schemas": {\#(schemas.joined(separator: ","))}}"#)
            }, read: { _ = Definitions.check($0.utf8) })
        expectLinearTime(
            "schemas joined from large ones", size: 40_000,
            input: { size in
                let large = (0..<400).map { #""p\#($0)": {}"# }.joined(separator: ",")
                let paths = (0..<size / 130).map {
                    ##""/a\##($0)": {"put": {"requestBody": {"content": {"application/json": {"schema": {"allOf": [{"$ref": "#/components/schemas/L"}]}}}}}}"##
                }
                return document(
                    "{\(paths.joined(separator: ","))}",
                    #", "components": {"schemas": {"L": {"properties": {\#(large)}}}}"#)
            }, read: { _ = Definitions.check($0.utf8) })
    }
}
