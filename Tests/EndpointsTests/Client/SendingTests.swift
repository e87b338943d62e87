import PlugboardEndpoints
import PlugboardTesting
import Testing

struct Topic: Codable, Sendable, Equatable {
    let id: Int
    let title: String
}

struct TopicList: Endpoint, Encodable {
    typealias Response = [Topic]
    var path: String { "boards/{board}/topics" }
    let board: String
    var page = 1
}

@Suite struct SendingTests {
    @Test func `an endpoint of five lines is sent as a request and returns its typed response`() async throws {
        let transport = ScriptedTransport { _, _ in
            .respond(200, ["Content-Type": "application/json"], body: .text(#"[{"id": 7, "title": "Macros"}]"#))
        }
        let client = Client(
            kernel: try Kernel(transport: transport), settings: ClientSettings(base: "https://api.example.com/v1"))

        let topics = try await client.send(TopicList(board: "swift"))

        #expect(topics == [Topic(id: 7, title: "Macros")])
        #expect(transport.requests.map(\.url) == ["https://api.example.com/v1/boards/swift/topics?page=1"])
    }
}
