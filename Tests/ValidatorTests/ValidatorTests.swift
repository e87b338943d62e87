import Plugboard
import PlugboardJSON
import PlugboardValidator
import PlugboardValidatorOptions
import TestSupport
import Testing

struct ValidatorTests {
    private static let user = #"{"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}"#

    @Test(arguments: Linkage.allCases)
    func `a valid body passes as it came`(linkage: Linkage) async throws {
        let kernel = try kernel(linkage, #"{"id": 7}"#)

        let response = try await kernel.send(request(schema: ValidatorTests.user))

        #expect(try await response.body.text() == #"{"id": 7}"#)
    }

    @Test(arguments: Linkage.allCases)
    func `an invalid body fails the exchange with the place and the rule, without the data`(linkage: Linkage)
        async throws
    {
        let kernel = try kernel(linkage, #"{"id": "secret-5"}"#)

        let error = try await failure(of: kernel, request(schema: ValidatorTests.user))

        #expect(error.code == .validatorInvalid)
        #expect(
            error.reason
                == "The response's body does not match its schema. /id: The value must be an integer. (/properties/id/type)"
        )
    }

    @Test(arguments: Linkage.allCases)
    func `values are quoted where the setting asks for it`(linkage: Linkage) async throws {
        let kernel = try kernel(linkage, #"{"id": "secret-5"}"#, ["showsValues": true])

        let error = try await failure(of: kernel, request(schema: ValidatorTests.user))

        #expect(
            error.reason.contains(#"/id: The value must be an integer. (/properties/id/type) The value is "secret-5"."#)
        )
    }

    @Test(arguments: Linkage.allCases)
    func `a body that is not JSON fails the exchange`(linkage: Linkage) async throws {
        let kernel = try kernel(linkage, #"{"id": "#)

        #expect(try await failure(of: kernel, request(schema: ValidatorTests.user)).code == .validatorJSON)
    }

    @Test(arguments: Linkage.allCases)
    func `a shape judges the response`(linkage: Linkage) async throws {
        let kernel = try kernel(linkage, #"{"id": 7, "tags": ["a"]}"#)
        var right = Request(.get, "http://a.test/")
        right.validator.shape = #"{"id": "number", "nick?": "string", "tags": ["string"]}"#
        var wrong = right
        wrong.validator.shape = #"{"id": "string"}"#

        let response = try await kernel.send(right)
        let error = try await failure(of: kernel, wrong)

        #expect(response.status == 200)
        #expect(error.code == .validatorInvalid)
    }

    @Test(arguments: Linkage.allCases)
    func `a rule of the settings applies to its method, URL and status`(linkage: Linkage) async throws {
        let settings: JSONObject = [
            "schemas": [
                "GET http://a.test/users/*": .string(ValidatorTests.user),
                "http://a.test/errors 4xx": #"{"type": "string"}"#,
            ]
        ]
        let transport = MockTransport { request, _ in
            .respond(request.url == "http://a.test/errors" ? 404 : 200, json, ["{}"])
        }
        let kernel = try linkage.kernel(validatorPlugin(), transport, settings: settings)

        #expect(try await failure(of: kernel, Request(.get, "http://a.test/users/1")).code == .validatorInvalid)
        #expect(try await failure(of: kernel, Request(.get, "http://a.test/errors")).code == .validatorInvalid)
        #expect(try await kernel.send(Request(.post, "http://a.test/users/1")).status == 200)
        #expect(try await kernel.send(Request(.get, "http://a.test/other")).status == 200)
    }

    @Test(arguments: Linkage.allCases)
    func `bodies of other types are checked only by rules that name the type`(linkage: Linkage) async throws {
        let settings: JSONObject = [
            "schemas": [
                "http://a.test/*": #"{"type": "string"}"#, "http://a.test/typed 200 text/*": #"{"type": "string"}"#,
            ]
        ]
        let transport = MockTransport { _, _ in .respond(200, Fields(["Content-Type": "Text/Plain; a=b"]), ["{}"]) }
        let kernel = try linkage.kernel(validatorPlugin(), transport, settings: settings)

        #expect(try await kernel.send(Request(.get, "http://a.test/")).status == 200)
        #expect(try await failure(of: kernel, Request(.get, "http://a.test/typed")).code == .validatorInvalid)
    }

    @Test(arguments: Linkage.allCases)
    func `with warn and off an invalid body passes`(linkage: Linkage) async throws {
        let kernel = try kernel(linkage, "{}")
        for mode in [ValidatorMode.warn, .off] {
            var request = request(schema: ValidatorTests.user)
            request.validator.mode = mode

            let response = try await kernel.send(request)

            #expect(try await response.body.text() == "{}")
        }
    }

    @Test(arguments: Linkage.allCases)
    func `a body over the limit fails, or passes by setting`(linkage: Linkage) async throws {
        let body = "[\(String(repeating: "1,", count: 2000))1]"
        var request = request(schema: "false")
        request.validator.limit = .kibibytes(1)

        let error = try await failure(of: try kernel(linkage, body), request)
        let response = try await kernel(linkage, body, ["passesLarger": true]).send(request)

        #expect(error.code == .validatorLimit)
        #expect(try await response.body.text() == body)
    }

    @Test(arguments: Linkage.allCases)
    func `a large body is checked by another thread`(linkage: Linkage) async throws {
        let body = "[\(String(repeating: "1,", count: 200_000))1]"
        let kernel = try kernel(linkage, body)

        let response = try await kernel.send(request(schema: #"{"items": {"const": 1}}"#))
        let error = try await failure(of: kernel, request(schema: #"{"items": {"const": 2}}"#))

        #expect(try await response.body.text() == body)
        #expect(error.code == .validatorInvalid)
    }

    @Test(arguments: Linkage.allCases)
    func `the body of a request is checked before it is sent`(linkage: Linkage) async throws {
        let settings: JSONObject = ["requests": ["POST http://a.test/*": .string(ValidatorTests.user)]]
        let transport = MockTransport { _, _ in .respond(200, Fields(), ["ok"]) }
        let kernel = try linkage.kernel(validatorPlugin(), transport, settings: settings)
        func post(_ text: String) -> Request {
            Request(.post, "http://a.test/", fields: json, body: .text(text))
        }

        #expect(try await failure(of: kernel, post("{}")).code == .validatorInvalid)
        #expect(transport.requests.isEmpty)
        #expect(try await kernel.send(post(#"{"id": 1}"#)).status == 200)
    }

    @Test(arguments: Linkage.allCases)
    func `a schema that cannot be compiled fails the exchange, or refuses the settings`(linkage: Linkage) async throws {
        let kernel = try kernel(linkage, "{}")

        #expect(try await failure(of: kernel, request(schema: #"{"type": "strin"}"#)).code == .validatorSchema)
        #expect(throws: PlugboardError.self) {
            try self.kernel(linkage, "{}", ["schemas": ["http://a.test/": #"{"type": 1}"#]])
        }
        #expect(throws: PlugboardError.self) { try self.kernel(linkage, "{}", ["schemas": ["a b c d": "{}"]]) }
        #expect(throws: PlugboardError.self) {
            try self.kernel(linkage, "{}", ["schemas": ["http://a.test/": "/does/not/exist.json"]])
        }
    }

    @Test(arguments: Linkage.allCases)
    func `documents that schemas refer to are registered by setting and by command`(linkage: Linkage) async throws {
        let kernel = try kernel(linkage, "1", ["documents": ["https://x.test/a": #"{"type": "integer"}"#]])

        _ = try await kernel.command(
            "validator", "register", #"{"documents": {"https://x.test/b": {"type": "string"}}}"#)

        #expect(try await kernel.send(request(schema: #"{"$ref": "https://x.test/a"}"#)).status == 200)
        #expect(
            try await failure(of: kernel, request(schema: #"{"$ref": "https://x.test/b"}"#)).code == .validatorInvalid)
        #expect(
            try await failure(of: kernel, request(schema: #"{"$ref": "https://x.test/c"}"#)).code == .validatorSchema)
    }

    @Test(arguments: Linkage.allCases)
    func `responses without a body are not checked`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in .respond(204, Fields()) }
        let kernel = try linkage.kernel(validatorPlugin(), transport)

        #expect(try await kernel.send(request(schema: "false")).status == 204)
    }

    @Test(arguments: Linkage.allCases, [true, false])
    func `contents are checked in draft 7, unless the setting says otherwise`(
        linkage: Linkage, contents: Bool
    ) async throws {
        let kernel = try kernel(linkage, #""{:""#, ["contents": .bool(contents)])
        let request = request(
            schema:
                #"{"$schema": "http://json-schema.org/draft-07/schema#", "contentMediaType": "application/json"}"#)

        if contents {
            #expect(try await failure(of: kernel, request).code == .validatorInvalid)
        } else {
            #expect(try await kernel.send(request).body.text() == #""{:""#)
        }
    }

    private let json = Fields(["Content-Type": "application/json; charset=utf-8"])

    private func request(schema: String) -> Request {
        var request = Request(.get, "http://a.test/")
        request.validator.schema = schema
        return request
    }

    private func kernel(_ linkage: Linkage, _ body: String, _ settings: JSONObject = [:]) throws -> Kernel {
        try linkage.kernel(
            validatorPlugin(), MockTransport.json(body, type: json["Content-Type"] ?? ""), settings: settings)
    }

    private func failure(of kernel: Kernel, _ request: Request) async throws -> PlugboardError {
        do throws(PlugboardError) {
            _ = try await kernel.send(request)
        } catch {
            return error
        }
        throw Unexpected()
    }

    private struct Unexpected: Error {}
}
