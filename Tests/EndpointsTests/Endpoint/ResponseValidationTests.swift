import Plugboard
import PlugboardEndpoints
import PlugboardJSON
import TestSupport
import Testing

/// What an endpoint or a definition tells the plugin `validator`.
struct ResponseValidationTests {
    private struct User: Endpoint {
        typealias Response = JSONValue
        var path: String { "users/1" }
        var validation: ResponseValidation { .shape(["id": .integer, "nick": .optional(.string), "tags": [.string]]) }
    }

    private func client(_ body: String, _ definitions: JSONValue? = nil) throws -> Client {
        let transport = MockTransport { _, _ in
            .respond(200, Fields(["Content-Type": "application/json"]), [body])
        }
        let kernel = try Kernel(
            configuration: Configuration(plugins: ["validator"]), catalog: .bundled, transport: transport, log: .silent)
        var settings = ClientSettings(base: "http://a.test/")
        if let definitions { settings.definitions = try Definitions(definitions) }
        return Client(kernel: kernel, settings: settings)
    }

    @Test func `the shape of an endpoint is checked`() async throws {
        #expect(try await client(#"{"id": 1, "tags": ["a"]}"#).send(User())["id"] == 1)
        let error = await #expect(throws: PlugboardError.self) { try await client(#"{"id": 1}"#).send(User()) }
        #expect(error?.code == "validator.invalid")
    }

    @Test func `schemas and shapes of definitions are checked, and refined`() async throws {
        let definitions: JSONValue = [
            "DEFAULT": ["schema": ["required": ["id"]]], "Plain": ["path": "a"],
            "Shaped": ["path": "a", "shape": ["id": "string"]], "Any": ["path": "a", "schema": true],
        ]
        for (name, body, isValid) in [
            ("Plain", #"{"id": 1}"#, true), ("Plain", "{}", false), ("Shaped", #"{"id": 1}"#, false),
            ("Shaped", #"{"id": "a"}"#, true), ("Any", "{}", true),
        ] {
            let client = try client(body, definitions)
            var error: PlugboardError?
            do throws(PlugboardError) {
                _ = try await client.send(name)
            } catch let failure {
                error = failure
            }
            #expect(error?.code == (isValid ? nil : "validator.invalid"), "\(name): \(body)")
        }
    }

    @Test func `what is no schema or shape, and what is too large, are errors of the definitions`() {
        let text = """
            {"A": {"path": "a", "schema": 1}, "B": {"path": "b", "shape": null},
             "C": {"path": "c", "schema": {"description": "\(String(repeating: "x", count: 60_000))"}}}
            """

        let errors = Definitions.check(text.utf8).errors.map(\.description)

        #expect(errors.count == 3)
        #expect(errors.first?.contains("A.schema must be a JSON Schema") == true)
        #expect(errors.last?.contains("C.schema is larger than") == true)
    }

    @Test func `a mistake in a shape is an error of the definitions`() {
        let text = """
            {"A": {"path": "a", "shape": {"id": "numbr"}}, "B": {"path": "b", "shape": {"tags": ["string", "null"]}},
             "C": {"path": "c", "shape": {"a": {"b?": 1}}}, "D": {"path": "d", "shape": {"a?": ["integer?"]}}}
            """

        let errors = Definitions.check(text.utf8).errors.map(\.description)

        #expect(errors.count == 3)
        #expect(errors.first?.contains("A.shape.id must be one of") == true)
        #expect(errors.first?.contains("did you mean number?") == true)
    }
}
