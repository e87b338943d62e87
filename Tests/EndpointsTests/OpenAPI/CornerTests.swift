import Plugboard
import PlugboardEndpoints
import PlugboardJSON
import TestSupport
import Testing

/// Each operation of an OpenAPI document of some size, called by its name.
struct CornerTests {
    @Test func `the document has 100 operations, and a call is known for each`() throws {
        let definitions = try Definitions.file(Corner.path)

        #expect(definitions.names.count == 100)
        #expect(Set(Corner.calls.map(\.name)) == Set(definitions.names))
        #expect(definitions.unsupported.map(\.path) == [#"paths["/boards/{board}/topics"].post.callbacks"#])
        #expect(definitions["getBoard"]?.base == "https://eu.corner.example/v1")
    }

    @Test(arguments: Corner.calls)
    func `an operation that is called by its name sends what the document says`(call: Corner.Call) async throws {
        let server = try Corner.server()
        let kernel = try Kernel(configuration: Configuration())
        var settings = ClientSettings()
        settings.definitions = try Definitions.file(Corner.path, server: ServerChoice(url: server.url("/v1")))
        settings.credentials = ["adminKey": .key("k3y")]
        let client = Client(kernel: kernel, settings: settings)

        let response = try await client.send(call.name, Parameters(call.parameters))

        let request = try #require(server.requests.last)
        #expect(call.errors(in: request) == [])
        #expect(response.status == call.status)
        switch (call.shape, response.content) {
        case (nil, .none), ("raw", .raw): break
        case ("list", .json(let value)): #expect(value == [["id": 1]])
        case ("object", .json(let value)): #expect(value == ["id": 1])
        default: Issue.record("\(response.content)")
        }
        await kernel.shutDown(within: .seconds(1))
    }
}
