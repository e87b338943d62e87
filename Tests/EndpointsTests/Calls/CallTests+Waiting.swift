import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import TestSupport
import Testing

/// Calls that wait or are under way, by their tasks and labels.
extension CallTests {
    @Test func `a call that is never started is not kept`() async throws {
        let client = try client()
        let kept = client.call(TopicList(board: "a"), labels: CallLabels(tag: "feed"), isStarted: false)

        for _ in 0..<1_000 { client.call(TopicList(board: "b"), isStarted: false) }

        #expect(client.calls.count == 1 && client.calls.all.first === kept)
        #expect("\(kept)" == "call \(kept.id), GET https://api.example.com/boards/{board}/topics, tag feed: waiting")
    }

    @Test func `a call that waits is started by start or by a task that wants its value`() async throws {
        let client = try client()
        let started = client.call(TopicList(board: "a"), isStarted: false)
        let wanted = client.call(TopicList(board: "b"), isStarted: false)
        let cancelled = client.call(TopicList(board: "c"), isStarted: false)
        let states = [started.state, wanted.state]

        started.start()
        started.start()
        cancelled.cancel()
        cancelled.start()
        await started.ended()
        _ = try await wanted.value

        #expect(states == [.waiting, .waiting])
        #expect(started.state == .succeeded)
        #expect(cancelled.state == .cancelled)
        #expect(client.calls.count == 0)
    }

    @Test func `cancelling a task that waits for the value cancels the call`() async throws {
        let transport = ScriptedTransport { _, _ in .silence }
        let client = Client(
            kernel: try Kernel(transport: transport), settings: ClientSettings(base: "https://a.test"))
        let call = client.call(TopicList(board: "a"))
        let task = Task { () -> PlugboardError? in
            do throws(PlugboardError) {
                _ = try await call.value
                return nil
            } catch {
                return error
            }
        }
        _ = await transport.requests(atLeast: 1)

        task.cancel()

        #expect(await task.value?.code == .cancelled)
        #expect(call.state == .cancelled)
    }

    @Test func `calls are found by their labels while they are under way`() async throws {
        struct Labelled: Endpoint {
            typealias Response = String
            var path: String { "a" }
            var identifier: String { "i" }
            var group: String { "g" }
            var tag: String { "t" }
            var category: String { "c" }
            var userInfo: [String: any Sendable] { ["own": 1] }
            var priority: CallPriority { .high }
        }
        let client = try client(.silence) { $0.userInfo = ["general": 2] }

        let own = client.call(Labelled())
        let given = client.call(Labelled(), labels: CallLabels(identifier: "j"))
        let all = client.calls.all

        #expect(all.map(\.id) == [own.id, given.id])
        #expect(all.map(\.identifier) == ["i", "j"])
        #expect([own.group, own.tag, own.category] == ["g", "t", "c"])
        #expect(own.userInfo.keys.sorted() == ["general", "own"])
        #expect(own.labels.priority == .high)
        #expect(given.tag == nil)
        for call in all { call.cancel() }
    }

    @Test func `the message of a call is the text of the client's catalog`() async throws {
        let client = try client(.respond(503)) { settings in
            settings.messages = MessageCatalog(["de": ["response": "Fehler {status}."]], languages: ["de-AT"])
        }

        let call = client.call(TopicList(board: "a"))
        await call.ended()

        #expect(call.message == "Fehler 503.")
        #expect(client.call(TopicList(board: "a"), isStarted: false).message == nil)
    }
}
