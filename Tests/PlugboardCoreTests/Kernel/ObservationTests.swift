import Plugboard
import PlugboardKit
import TestSupport
import Testing

struct ObservationTests {
    @Test func `an observer gets the events that it names, and others are not made for it`() async throws {
        let record = Record()
        let plugin = ScriptedPlugin("shouter")
        plugin.onRequest = { [unowned plugin] exchange in
            plugin.host?.publish("shouter.shouted", exchange: exchange.id, details: ["word": "hey"])
            return .next
        }
        let transport = MockTransport()
        let kernel = try makeKernel([plugin], transport)

        let few = kernel.observe(["completed", "shouter.shouted"]) { event, _ in record.add(event.id) }
        _ = try await kernel.send(Request(.get, anywhere)).body.collect(upTo: .kibibytes(1))
        few.end()
        _ = try await kernel.send(Request(.get, anywhere)).body.collect(upTo: .kibibytes(1))
        let all = kernel.observe { _, _ in }
        _ = try await kernel.send(Request(.get, anywhere)).body.collect(upTo: .kibibytes(1))
        all.end()
        await kernel.shutDown()

        #expect(record.lines == ["shouter.shouted", "completed"])
        #expect(transport.requests.map(\.isWatched) == [false, false, true])
        #expect(transport.requests.map(\.isTimed) == [false, false, true])
    }

    @Test func `each of several observers gets its own events`() async throws {
        let (one, other) = (Record(), Record())
        let kernel = try makeKernel([])
        let observations = [
            kernel.observe(["created", "completed"]) { event, _ in one.add(event.id) },
            kernel.observe(["completed", "closing"]) { event, _ in other.add(event.id) },
        ]

        _ = try await kernel.send(Request(.get, anywhere)).body.collect(upTo: .kibibytes(1))
        await kernel.shutDown()
        for observation in observations { observation.end() }

        #expect(one.lines == ["created", "completed"])
        #expect(other.lines == ["completed", "closing"])
    }

    @Test func `an observer gets no events of exchanges that began before it, which others observe`() async throws {
        let (first, late) = (Record(), Record())
        let kernel = try makeKernel([])
        let begun = kernel.observe(["created", "completed"]) { event, _ in first.add(event.id) }

        let response = try await kernel.send(Request(.get, anywhere))
        let later = kernel.observe(["created", "completed"]) { event, _ in late.add(event.id) }
        _ = try await response.body.collect(upTo: .kibibytes(1))
        await kernel.shutDown()
        for observation in [begun, later] { observation.end() }

        #expect(first.lines == ["created", "completed"])
        #expect(late.lines.isEmpty)
    }

    @Test func `an event and an outcome have the names of their cases`() {
        let outcomes: [TurnOutcome] = [.ended, .replaced, .resent, .failed, .cancelled]

        #expect(KernelEvent.allCases.map(\.name) == KernelEvent.allCases.map { "\($0)" })
        #expect(outcomes.map(\.name) == outcomes.map { "\($0)" })
    }
}
