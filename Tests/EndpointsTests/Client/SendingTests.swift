import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import TestSupport
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

    @Test func `changed settings are those of later requests, also where an endpoint's own code changes them`()
        async throws
    {
        struct LogIn: Endpoint {
            var path: String { "login" }
            func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) {
                client.update { $0.fields["X-Token"] = "abc" }
            }
        }
        let transport = ScriptedTransport { _, _ in .respond(200, body: .text("[]")) }
        let client = Client(kernel: try Kernel(transport: transport), settings: ClientSettings(base: "https://a.test"))
        let waiting = client.call(TopicList(board: "a"), isStarted: false)

        client.update { $0.base = "https://b.test" }
        try await client.send(LogIn())
        _ = try await client.send(TopicList(board: "b"))
        _ = try await waiting.value

        #expect(
            transport.requests.map { "\($0.url) \($0["X-Token"] ?? "-")" } == [
                "https://b.test/login -", "https://b.test/boards/b/topics?page=1 abc",
                "https://b.test/boards/a/topics?page=1 abc",
            ])
        #expect(client.settings.base == "https://b.test" && client.settings.fields["X-Token"] == "abc")
    }

    @TaskLocal private static var trace = "none"

    @Test func `what is current where a request is sent is carried to plugins`() async throws {
        let seen = Record()
        let kernel = try Kernel(
            plugins: [
                .hooks(
                    "com.acme.trace", priority: 10,
                    onRequest: { exchange in
                        seen.add(exchange.request["X-Trace"] ?? "-")
                        return .next
                    })
            ],
            transport: ScriptedTransport { _, _ in .respond(200, body: .text("[]")) },
            atSend: { $0["X-Trace"] = SendingTests.trace })
        let client = Client(kernel: kernel, settings: ClientSettings(base: "https://a.test"))

        try await SendingTests.$trace.withValue("one") { _ = try await kernel.send(Request(.get, "https://a.test/")) }
        try await SendingTests.$trace.withValue("two") {
            _ = try await kernel.begin(Request(.get, "https://a.test/")).response
        }
        try await SendingTests.$trace.withValue("three") { _ = try await client.call(TopicList(board: "a")).value }
        try await SendingTests.$trace.withValue("four") {
            _ = try await kernel.send(Request(.get, "https://a.test/")) { _ in }
        }

        #expect(seen.lines == ["one", "two", "three", "four"])
    }
}
