import Foundation
import Plugboard
import PlugboardJSON
import PlugboardValidator
import PlugboardValidatorOptions
import TestSupport
import Testing

/// OpenAPI documents as a source of schemas.
struct OpenAPITests {
    private static let paths = #"""
        "paths": {
          "/users/{id}": {
            "get": {"responses": {
              "200": {"content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/User"}},
                "application/*": {"schema": {"type": "string"}}}},
              "4XX": {"$ref": "#/components/responses/Failed"},
              "default": {"content": {"application/json": {"schema": {"type": "boolean"}}}}}},
            "put": {
              "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}},
              "responses": {"204": {"description": "done"}}}
          },
          "/users/me": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"type": "null"}}}}}}},
          "/a~b/{x}.json": {"get": {"responses": {"2XX": {"content": {"application/json": {"schema": {"const": 1}}}}}}}
        },
        """#

    private static func document(_ version: String, servers: String = #"[{"url": "https://api.test/v{n}"}]"#) -> String
    {
        let components = #"""
            "components": {
              "responses": {"Failed": {"content": {"application/problem+json": {"schema": {"required": ["title"]}}}}},
              "schemas": {"User": {
                "type": "object", "required": ["id", "password"],
                "properties": {
                  "id": {"type": "integer", "readOnly": true}, "password": {"type": "string", "writeOnly": true},
                  "nick": {"type": "string", "nullable": true}, "required": {"type": "array"}}}}
            }
            """#
        let null =
            version == "3.0.3"
            ? components
            : components.replacing(
                #""type": "string", "nullable": true"#, with: #""type": ["string", "null"]"#)
        return
            #"{"openapi": "\#(version)", "info": {"title": "t", "version": "1"}, "servers": \#(servers), \#(paths) \#(null)}"#
            .replacing("\"const\": 1", with: version == "3.0.3" ? "\"enum\": [1]" : "\"const\": 1")
            .replacing("{\"type\": \"null\"}", with: "{\"enum\": [null]}")
    }

    private func kernel(
        _ linkage: Linkage, _ version: String, _ status: Int, _ body: String, type: String = "application/json",
        settings: JSONObject = [:], servers: String = #"[{"url": "https://api.test/v{n}"}]"#
    ) throws -> Kernel {
        let transport = MockTransport { _, _ in .respond(status, Fields(["Content-Type": type]), [body]) }
        var settings = settings
        settings["openapi"] = [.string(OpenAPITests.document(version, servers: servers))]
        return try linkage.kernel(validatorPlugin(), transport, settings: settings)
    }

    @Test(arguments: Linkage.allCases, ["3.0.3", "3.1.0"])
    func `a response is checked by method, path, status and content type`(linkage: Linkage, version: String)
        async throws
    {
        let cases: [(url: String, status: Int, type: String, body: String, isValid: Bool)] = [
            ("/v1/users/7", 200, "application/json", #"{"id": 1}"#, true),
            ("/v1/users/7", 200, "application/json; charset=utf-8", #"{"id": "a"}"#, false),
            ("/v2/users/7?a=b", 200, "application/json", #"{"password": "a"}"#, false),
            ("/v1/users/7", 200, "application/json", #"{"id": 1, "nick": null}"#, true),
            ("/v1/users/7", 200, "application/json", #"{"id": 1, "nick": 1}"#, false),
            ("/v1/users/7", 200, "application/hal+json", #""text""#, true),
            ("/v1/users/7", 200, "application/hal+json", #"{"id": 1}"#, false),
            ("/v1/users/7", 404, "application/problem+json", #"{"title": "a"}"#, true),
            ("/v1/users/7", 404, "application/problem+json", #"{}"#, false),
            ("/v1/users/7", 500, "application/json", "true", true),
            ("/v1/users/7", 500, "application/json", "1", false),
            ("/v1/users/me", 200, "application/json", "null", true),
            ("/v1/users/me", 200, "application/json", "{}", false),
            ("/v1/a~b/c.json", 201, "application/json", "1", true),
            ("/v1/a~b/c.json", 201, "application/json", "2", false),
            ("/v1/a~b/c.xml", 201, "application/json", "2", true),
            ("/v1/users/7/8", 200, "application/json", "2", true),
            ("/users/7", 200, "application/json", "2", true), ("/v1/users/7", 200, "text/plain", "2", true),
        ]
        for (url, status, type, body, isValid) in cases {
            let kernel = try kernel(linkage, version, status, body, type: type)
            let error = await failure { try await kernel.send(Request(.get, "https://api.test\(url)")) }
            #expect(
                error?.code == (isValid ? nil : .validatorInvalid),
                "\(url) \(status) \(type) \(body): \(String(describing: error))")
        }
        let elsewhere = try kernel(linkage, version, 200, "2")
        #expect(try await elsewhere.send(Request(.get, "https://other.test/v1/users/7")).status == 200)
        #expect(try await elsewhere.send(Request(.post, "https://api.test/v1/users/7")).status == 200)
    }

    @Test(arguments: Linkage.allCases)
    func `servers without a host are those of every origin, and none is the root`(linkage: Linkage) async throws {
        for (servers, url) in [
            (#"[{"url": "/base/"}]"#, "http://x.test/base/users/7"), ("[]", "http://x.test/users/7"),
        ] {
            let kernel = try kernel(linkage, "3.1.0", 200, "2", servers: servers)
            let error = await failure { try await kernel.send(Request(.get, url)) }
            #expect(error?.code == (servers == "[]" ? nil : .validatorInvalid))
        }
    }

    @Test(arguments: Linkage.allCases)
    func `the bodies of requests are checked by setting, without what is only read`(linkage: Linkage) async throws {
        func put(_ text: String) -> Request {
            Request(
                .put, "https://api.test/v1/users/7", fields: Fields(["Content-Type": "application/json"]),
                body: .text(text))
        }
        let checking = try kernel(linkage, "3.1.0", 204, "", settings: ["checksOperationRequests": true])
        let other = try kernel(linkage, "3.1.0", 204, "")

        #expect(await failure { try await checking.send(put(#"{"password": "a"}"#)) } == nil)
        #expect(await failure { try await checking.send(put(#"{"id": 1}"#)) }?.code == .validatorInvalid)
        #expect(await failure { try await other.send(put(#"{"id": 1}"#)) } == nil)
    }

    @Test(arguments: [
        #"{"swagger": "2.0"}"#, #"{"openapi": "2.0", "paths": {}}"#, #"{"openapi": "3.1.0", "paths": []}"#, "[",
        "/no/file",
    ])
    func `a document that cannot be used refuses the settings`(document: String) throws {
        #expect(throws: PlugboardError.self) {
            try Linkage.linked.kernel(
                validatorPlugin(), settings: ["openapi": [.string(document)]])
        }
    }

    @Test(arguments: [
        #""get": {"responses": {"2X": {}}}"#, ##""$ref": "#/paths/~1odd""##,
        ##""get": {"responses": {"200": {"$ref": "#/nothing"}}}"##,
        ##""get": {"responses": {"200": {"$ref": "other.json"}}}"##, ##""get": {"$ref": "#/nothing"}"##,
        ##""x-none": 1}, "/odd?beta=true": {"get": {"responses": {"200": {"content": {"application/json": {"schema": false}}}}}"##,
    ])
    func `an operation that cannot be read is not checked, and the others are`(odd: String) async throws {
        let good = #"{"200": {"content": {"application/json": {"schema": {"type": "object"}}}}}"#
        let document =
            #"{"openapi": "3.2.0", "paths": {"/odd": {\#(odd)}, "/good": {"get": {"responses": \#(good)}}}}"#
        let transport = MockTransport { _, _ in
            .respond(200, Fields(["Content-Type": "application/json"]), ["[]"])
        }
        let kernel = try Linkage.linked.kernel(
            validatorPlugin(), transport, settings: ["openapi": [.string(document)]])

        #expect(await failure { try await kernel.send(Request(.get, "https://api.test/odd")) } == nil)
        #expect(
            await failure { try await kernel.send(Request(.get, "https://api.test/good")) }?.code == .validatorInvalid)
        await kernel.shutDown()
    }

    @Test func `a schema that is wrong fails the operations that need it only`() async throws {
        func operation(_ schema: String) -> String {
            #"{"get": {"responses": {"200": {"content": {"application/json": {"schema": \#(schema)}}}}}}"#
        }
        let document = ##"""
            {"openapi": "3.1.0", "paths": {"/odd": \##(operation(##"{"$ref": "#/components/schemas/Odd"}"##)),
              "/good": \##(operation(##"{"$ref": "#/components/schemas/Good"}"##))},
             "components": {"schemas": {"Odd": {"exclusiveMinimum": true}, "Good": {"type": "array"}}}}
            """##
        let transport = MockTransport { _, _ in
            .respond(200, Fields(["Content-Type": "application/json"]), ["[]"])
        }
        let kernel = try Linkage.linked.kernel(
            validatorPlugin(), transport, settings: ["openapi": [.string(document)]])

        #expect(await failure { try await kernel.send(Request(.get, "https://api.test/good")) } == nil)
        #expect(await failure { try await kernel.send(Request(.get, "https://api.test/odd")) } != nil)
        await kernel.shutDown()
    }

    private func failure(_ body: () async throws -> Response) async -> PlugboardError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? PlugboardError
        }
    }
}

extension String {
    fileprivate func replacing(_ text: String, with other: String) -> String {
        var result = ""
        var rest = self[...]
        while let range = rest.range(of: text) {
            result += rest[..<range.lowerBound] + other
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
