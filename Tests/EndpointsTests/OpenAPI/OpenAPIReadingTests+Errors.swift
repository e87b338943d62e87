import Foundation
import Plugboard
import PlugboardCore
import PlugboardEndpoints
import TestSupport
import Testing

/// Documents that cannot be read, or not all of them.
extension OpenAPIReadingTests {
    @Test func `references that lead nowhere, into a cycle or to another document are errors where they are needed`() {
        let text = document(
            ##"""
            {"/a": {"get": {"parameters": [{"$ref": "#/components/parameters/limt"}, {"$ref": "#/components/parameters/x"},
               {"$ref": "common.json#/a"}, {"$ref": "#/components/parameters/self"}]}}, "/b": {"$ref": "#/paths/~1c"}}
            """##,
            ##"""
            , "components": {"parameters": {"limit": {"name": "limit", "in": "query"},
               "x": {"$ref": "#/components/parameters/y"}, "y": {"$ref": "#/components/parameters/x"},
               "self": {"$ref": "#/components/parameters/self"}},
              "schemas": {"S": {"properties": {"a": {"$ref": "#/components/schemas/T"}}, "example": {"$ref": "no"}}}}
            """##)

        let errors = errors(text)

        #expect(
            errors.contains(
                #"paths["/a"].get.parameters[0]["$ref"] leads to nothing: there is no limt; did you mean limit?"#))
        #expect(
            errors.contains(
                #"paths["/a"].get.parameters[1]["$ref"] makes a cycle of references: #/components/parameters/x → #/components/parameters/y → #/components/parameters/x"#
            ))
        #expect(
            errors.contains(
                #"paths["/a"].get.parameters[2]["$ref"] leads to another document, which is not read; join the documents into one first"#
            ))
        #expect(errors.contains { $0.hasPrefix(#"paths["/b"]["$ref"] leads to nothing: there is no /c"#) })
        #expect(errors.contains { $0.hasPrefix(#"components.schemas.S.properties.a["$ref"] leads to nothing"#) })
        #expect(!errors.contains { $0.contains("example") })
    }

    @Test(arguments: [
        ##"{"allOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/A"}]}"##,
        ##"{"properties": {"x": {"$ref": "#/components/schemas/A"}}, "allOf": [{"$ref": "#/components/schemas/A"}]}"##,
    ])
    func `schemas that are joined from themselves end with an error`(schema: String) {
        let errors = errors(
            document(
                ##"{"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}}}"##,
                #", "components": {"schemas": {"A": \#(schema)}}"#))

        #expect(errors.count >= 1 && errors.count <= 100)
        #expect(errors[0].contains("joined"))
    }

    @Test func `errors of documents are found all at once`() {
        let errors = errors(
            document(
                #"""
                {"a": {"get": {}}, "/b": [], "/c/{x}/{y": {"get": 1},
                 "/d/{x}": {"get": {"operationId": "d", "parameters": {}}, "put": {"operationId": "d",
                   "parameters": [{"name": "x", "in": "body"}, {"in": "query"}, {"name": "z", "in": "path"},
                     {"name": "q", "in": "query", "style": "simple"}, {"name": "t", "in": "query", "schema": {"type": "int"}},
                     {"name": "u", "in": "query", "required": "yes"}, {"name": "u", "in": "query"}],
                   "requestBody": {}, "security": [{"no": []}]}},
                 "/e/{x": {"get": {}}}
                """#))

        #expect(
            errors == [
                "paths.a must begin with a slash", #"paths["/b"] must be an object of operations, not an array"#,
                #"paths["/c/{x}/{y"].get must be an operation: an object, not a number"#,
                #"paths["/d/{x}"].get.parameters must be a list of parameters, not an object"#,
                #"paths["/d/{x}"].put.operationId is the operationId of another operation too; this operation is called PUT /d/{x}"#,
                #"paths["/d/{x}"].put.parameters.z is not a placeholder of the path; write {z} in it"#,
                #"paths["/d/{x}"].put.parameters[0].in must be path, query, header or cookie"#,
                #"paths["/d/{x}"].put.parameters[1].name must be the name of the parameter"#,
                #"paths["/d/{x}"].put.parameters[3].style must be a style of parameters in query: form, spaceDelimited, pipeDelimited, deepObject"#,
                #"paths["/d/{x}"].put.parameters[4].schema.type is not a known type; known are string, integer, number, boolean, array, object, null"#,
                #"paths["/d/{x}"].put.parameters[5].required must be true or false, not a string"#,
                #"paths["/d/{x}"].put.parameters[6] is the second parameter of this name and place, and not the same"#,
                #"paths["/d/{x}"].put.requestBody.content must be an object of media types"#,
                #"paths["/d/{x}"].put.security[0].no is not a known security scheme: there are none"#,
                #"paths["/e/{x"].get.path has a { without its }; write {name}"#,
            ])
    }

    @Test(arguments: [
        (#"{"swagger": "2.0"}"#, "swagger is the version of a Swagger document"),
        (#"{"openapi": "4.0.0"}"#, "openapi must be 3.0 or 3.1"), (#"{"openapi": 3.1}"#, "openapi must be the version"),
        ("openapi: 3.1.0\npaths: {}\n", "it seems to be YAML, which is read with formats: [.yaml] of PlugboardYAML"),
    ])
    func `other documents are refused with what to do`(text: String, reason: String) {
        let errors = errors(text)

        #expect(errors.count == 1)
        #expect(errors.first?.contains(reason) == true, "\(errors)")
    }

    @Test func `a document that is cut at any byte is an error`() {
        let text = document(
            ##"{"/a/{b}": {"get": {"parameters": [{"$ref": "#/components/parameters/b"}]}}}"##,
            ##", "components": {"parameters": {"b": {"name": "b", "in": "path", "required": true}}}}"##)

        for count in 0..<text.utf8.count - 2 {
            #expect(!Definitions.check(text.utf8.prefix(count)).errors.isEmpty)
        }
    }

    @Test func `documents with a part replaced by anything else never trap`() throws {
        let bytes = Array(try Corner.text.utf8.prefix(30_000)) + Array("}".utf8)
        var random = SeededRandom(seed: 4)
        for _ in 0..<200 {
            var changed = try Array(Corner.text.utf8)
            for _ in 0..<4 {
                let index = Int.random(in: 0..<changed.count, using: &random)
                changed[index] = bytes[Int.random(in: 0..<bytes.count, using: &random)]
            }
            _ = Definitions.check(changed)
        }
    }
}
