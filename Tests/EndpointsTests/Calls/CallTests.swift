import PlugboardEndpoints
import PlugboardTesting
import TestSupport
import Testing

@Suite struct CallTests {
    @Test func `a call is found while it is under way and calls its callbacks in order at the end`() async throws {
        let transport = ScriptedTransport { _, _ in .respond(200, body: .text(#"[{"id": 7, "title": "Macros"}]"#)) }
        let client = Client(
            kernel: try Kernel(transport: transport), settings: ClientSettings(base: "https://api.example.com/"))
        let order = Record()

        let call = client.call(TopicList(board: "swift"), labels: CallLabels(tag: "feed"), isStarted: false)
            .onFinished { _ in order.add("finished") }
            .onCompletion { _ in order.add("completion") }
            .onSuccess { _ in order.add("success") }
            .onFailure { _ in order.add("failure") }
        let underWay = client.calls.all.map(\.tag)
        let topics = try await call.value

        #expect(underWay == ["feed"])
        #expect(topics.count == 1)
        #expect(order.lines == ["success", "completion", "finished"])
        #expect(client.calls.count == 0)
        #expect(call.state == .succeeded)
    }
}
