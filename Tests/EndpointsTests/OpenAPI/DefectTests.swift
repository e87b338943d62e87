import Foundation
import Plugboard
import PlugboardCore
import PlugboardEndpoints
import PlugboardJSON
import PlugboardTesting
import TestSupport
import Testing

/// Documents in which something is wrong: what is not concerned can be called.
struct DefectTests {
    private static let good = #""/good": {"get": {"operationId": "good"}}"#

    private func document(_ paths: String, _ rest: String = "", version: String = "3.1.0") -> String {
        #"{"openapi": "\#(version)", "servers": [{"url": "https://api.test"}], "paths": {\#(paths)}\#(rest)}"#
    }

    @Test(arguments: [
        (##""/odd": {"get": {"operationId": "odd", "parameters": [{"$ref": "#/no"}]}}"##, "odd", "leads to nothing"),
        (#""/odd": {"get": null}"#, "GET /odd", "must be an operation: an object, not null"),
        (#""/odd": {"parameters": 1, "get": {"operationId": "odd"}}"#, "odd", "must be a list of parameters"),
        (#""/odd/{a}/{a}": {"get": {"operationId": "odd"}}"#, "odd", "has the placeholder {a} twice"),
        (##""/odd": {"get": {"$ref": "#/no"}}"##, "GET /odd", "leads to nothing"),
        (#""/odd?a={b}": {"get": {"operationId": "odd"}}"#, "odd", "has a placeholder in the query of its path"),
        (
            #""/odd": {"servers": [{"url": "https://{region}.test", "variables": {"region": {}}}], "get": {"operationId": "odd"}}"#,
            "odd", "must be the default value of the variable; choose a value or another server"
        ),
    ])
    func `an operation that cannot be read is left out, and fails when it is called`(
        odd: String, name: String, reason: String
    ) throws {
        let definitions = try Definitions.text(document("\(odd), \(DefectTests.good)"))

        #expect(definitions.names == ["good"])
        #expect(definitions.defects.contains { $0.reason.contains(reason) && $0.line == 1 }, "\(definitions.defects)")
        let call = #expect(throws: PlugboardError.self) { try definitions.definition(name) }
        #expect(call?.code == .configuration)
        #expect(call?.reason.contains(reason) == true && call?.reason.contains("\(name) cannot be called") == true)
        #expect(throws: PlugboardError.self) { try definitions.strict() }
    }

    @Test func `an operationId that is empty or another's is replaced by method and path`() throws {
        let definitions = try Definitions.text(
            document(
                #""/a": {"get": {"operationId": "x"}, "put": {"operationId": "x"}, "post": {"operationId": ""}}"#))

        #expect(definitions.names == ["x", "PUT /a", "POST /a"])
        #expect(definitions["x"]?.method == .get)
        #expect(definitions.defects.count == 2)
    }

    @Test func `a schema that is wrong leaves out each operation that needs it`() throws {
        let body = ##"{"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S"}}}}"##
        let definitions = try Definitions.text(
            document(
                #""/a": {"post": {"requestBody": \#(body)}, "put": {"requestBody": \#(body)}}, \#(DefectTests.good)"#,
                #", "components": {"schemas": {"S": {"properties": {"p": {"type": "int"}}}}}"#))

        #expect(definitions.names == ["good"])
        #expect(definitions.defects.count == 1)
    }

    @Test func `a version after 3.1, a key twice and a parameter twice are told, and everything can be called`() throws
    {
        let parameter = #"{"name": "q", "in": "query"}"#
        let definitions = try Definitions.text(
            document(
                #""/a": {"get": {"operationId": "a", "parameters": [\#(parameter), \#(parameter)]}}"#,
                #", "components": {"schemas": {"S": {"type": "string", "type": "integer"}}}"#, version: "3.2.0"))

        #expect(definitions["a"]?.parameters.map(\.name) == ["q"])
        let reasons = definitions.defects.map(\.reason)
        #expect(reasons.count == 3)
        #expect(reasons.contains { $0.hasPrefix("have duplicate keys, of which the last is used") })
        #expect(reasons.contains { $0.hasPrefix("is newer than 3.1") })
        #expect(reasons.contains { $0 == "is the second parameter of this name and place" })
    }

    @Test func `a fixed query of a path is sent, and a fragment is not`() async throws {
        let definitions = try Definitions.text(
            document(
                #"""
                "/files?beta=true&v=a%20b": {"get": {"operationId": "beta"}},
                "/listed?beta=true": {"get": {"operationId": "listed", "parameters": [{"name": "beta", "in": "query"}]}},
                "/files/{id}#shared": {"put": {"operationId": "share"}}
                """#))
        let transport = MockTransport { _, _ in .respond(200, Fields(), [""]) }
        let kernel = try Kernel(plugins: [], transport: transport)
        var settings = ClientSettings()
        settings.definitions = definitions
        let client = Client(kernel: kernel, settings: settings)

        let beta = try await client.request(for: client.endpoint("beta", [:]))
        let listed = try await client.request(for: client.endpoint("listed", [:]))
        let given = try await client.request(for: client.endpoint("listed", ["beta": "false"]))
        let share = try await client.request(for: client.endpoint("share", ["id": "7"]))

        #expect(beta.url == "https://api.test/files?beta=true&v=a%20b")
        #expect(listed.url == "https://api.test/listed?beta=true")
        #expect(given.url == "https://api.test/listed?beta=false")
        #expect(share.url == "https://api.test/files/7")
        await kernel.shutDown()
    }

    @Test func `operations, paths and parameters in files beside the document are read`() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(
            "user.json",
            ##"{"get": {"operationId": "user", "parameters": [{"$ref": "shared.json#/id"}, {"$ref": "#/q"}]}, "q": {"name": "q", "in": "query"}}"##
        )
        _ = try folder.write(
            "shared.json",
            ##"{"id": {"name": "id", "in": "path", "required": true, "schema": {"$ref": "api.json#/components/schemas/Id"}}}"##
        )
        let path = try folder.write(
            "api.json",
            document(
                ##""/users/{id}": {"$ref": "user.json"}, "/people/{id}": {"get": {"$ref": "./user.json#/get"}}, "/no": {"get": {"$ref": "no.json"}}, "/out": {"get": {"$ref": "../out.json"}}, \##(DefectTests.good)"##,
                #", "components": {"schemas": {"Id": {"type": "integer"}}}"#))

        let definitions = try Definitions.file(path)

        #expect(definitions.names == ["user", "GET /people/{id}", "good"])
        for name in ["user", "GET /people/{id}"] {
            #expect(definitions[name]?.parameters.map(\.name) == ["id", "q"])
            #expect(definitions[name]?.parameters.first?.kind == .integer)
        }
        let missing = #expect(throws: PlugboardError.self) { try definitions.definition("GET /no") }
        #expect(missing?.reason.contains("leads to the file no.json, which does not exist") == true)
        let outside = #expect(throws: PlugboardError.self) { try definitions.definition("GET /out") }
        #expect(outside?.reason.contains("leads out of the folder of the document") == true)
        #expect(definitions.unsupported.allSatisfy { !definitions.defects.contains($0) })
    }
}
