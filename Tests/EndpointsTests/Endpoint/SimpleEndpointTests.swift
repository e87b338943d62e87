import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import Testing

/// Endpoints as values, and the types that their responses can have.
@Suite struct SimpleEndpointTests {
    /// A type with the response as its own parameter.
    private struct Generic<Response: Decodable & Sendable>: Endpoint {
        var path = "a"
    }

    private let transport = ScriptedTransport { _, _ in .respond(200, body: .text(#"{"id": 7}"#)) }

    private func client() throws -> Client {
        Client(kernel: try Kernel(transport: transport), settings: ClientSettings(base: "https://a.test/"))
    }

    @Test func `a request without a type of its own is sent with what was set`() async throws {
        var endpoint = SimpleEndpoint(.post, "users/{id}", ["id": 7, "name": "Ada", "page": 2], as: JSONValue.self)
        endpoint.queryParameters = ["page"]
        endpoint.fields = ["X-Draft": "no"]

        let value = try await client().send(endpoint)

        let request = try #require(transport.requests.first)
        #expect(value["id"] == 7)
        #expect(request.method == .post && request.url == "https://a.test/users/7?page=2" && request["X-Draft"] == "no")
    }

    @Test func `each kind of response is returned, by a generic endpoint and by one that is a value`() async throws {
        let client = try client()

        let text = try await client.send(Generic<String>())
        let bytes = try await client.send(SimpleEndpoint("a", as: Bytes.self))
        let json = try await client.send(Generic<JSONValue>())
        let received = try await client.send(SimpleEndpoint("a", as: ReceivedResponse.self))
        let model = try await client.send(Generic<[String: Int]>())
        try await client.send(SimpleEndpoint("a", as: Void.self))

        #expect(text == #"{"id": 7}"# && bytes.text == text && json["id"] == 7)
        #expect(received.status == 200 && model == ["id": 7])
    }

    @Test func `a type that is not Decodable is made by the codec that the endpoint names`() async throws {
        struct Message: Sendable, Equatable { let text: String }
        struct MessageCodec: Codec {
            let name = "message"
            let contentTypes = ["application/x-message"]

            func encode<Value>(_ value: Value) throws(PlugboardError) -> Bytes { .empty }
            func decode<Value>(
                _ type: Value.Type, from body: Bytes, contentType: String?
            ) throws(PlugboardError) -> Value { Message(text: body.text) as! Value }
        }

        let message = try await client().send(SimpleEndpoint("a", as: Message.self, with: MessageCodec()))

        #expect(message == Message(text: #"{"id": 7}"#))
        #expect(transport.requests.first?["Accept"] == "application/x-message")
    }

    @Test func `a form with files is made when the request is made`() async throws {
        var endpoint = SimpleEndpoint(.post, "photos", as: Void.self)
        endpoint.body = .multipart([.text("title", "Lake")])

        try await client().send(endpoint)
        try await client().send(endpoint)

        #expect(transport.requests.count == 2)
        #expect(transport.requests.allSatisfy { $0[.contentType]?.hasPrefix("multipart/form-data; boundary=") == true })
    }
}
