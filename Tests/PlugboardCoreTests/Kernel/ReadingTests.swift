import Plugboard
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct `Reading a response's body` {
    @Test func `a second read is an error and not an empty body`() async throws {
        let kernel = try makeKernel([], MockTransport(body: "whole"))
        let response = try await kernel.send(Request(.get, anywhere))

        let first = try await response.body.text()
        let second = await #expect(throws: PlugboardError.self) { try await response.body.text() }
        let third = await #expect(throws: PlugboardError.self) { for try await _ in response.body {} }

        #expect(first == "whole")
        #expect(second?.code == .bodyRead && third?.code == .bodyRead)
    }

    @Test func `the rest after a read that reached its limit cannot be read as a body`() async throws {
        let transport = MockTransport { _, _ in .respond(200, Fields(), ["much too ", "much", "rest"]) }
        let kernel = try makeKernel([], transport)
        let response = try await kernel.send(Request(.get, anywhere))

        let first = await #expect(throws: PlugboardError.self) { try await response.body.collect(upTo: .bytes(10)) }
        let second = await #expect(throws: PlugboardError.self) { try await response.body.text() }

        #expect(first?.code == .bodyLimit)
        #expect(second?.code == .cancelled)
    }

    @Test func `nor can the rest that comes with its end after the read was given up`() async throws {
        let source = SteppedSource()
        let kernel = try makeKernel([], MockTransport { _, _ in .source(200, Fields(), source) }) {
            $0.kernel.loops = 1
        }
        let response = try await kernel.send(Request(.get, anywhere))
        source.give("too much")
        await kernel.turn()
        let (blocked, gate) = (Gate(), Gate())
        kernel.core.first.loop.enqueue {
            blocked.admit()
            try? gate.wait()
        }
        try await blocked.opened()

        // The loop gets the rest before it learns that the read was given up.
        source.give("rest")
        let first = await #expect(throws: PlugboardError.self) { try await response.body.collect(upTo: .bytes(3)) }
        source.give(nil)
        gate.open()
        await kernel.turn()
        let second = await #expect(throws: PlugboardError.self) { try await response.body.text() }

        #expect(first?.code == .bodyLimit)
        #expect(second?.code == .cancelled)
    }

    @Test func `a second reader at once is refused, and the first gets its piece`() async throws {
        let source = SteppedSource()
        let (first, second) = (Record(), Record())
        let kernel = try makeKernel([], MockTransport { _, _ in .source(200, Fields(), source) })
        let body = try await kernel.send(Request(.get, anywhere)).body

        body.source.pull(Pull(RecordingReceiver(first)))
        body.source.pull(Pull(RecordingReceiver(second)))
        source.give("piece")
        await kernel.turn()

        #expect(first.lines == ["piece"])
        #expect(second.lines == ["body.read"])
    }

    @Test func `a buffer of one byte takes a piece at a time`() async throws {
        let kernel = try makeKernel([], MockTransport { _, _ in .respond(200, Fields(), ["a", "b", "c"]) }) {
            $0.kernel.bufferLimit = .bytes(1)
        }
        let body = try await kernel.send(Request(.get, anywhere)).body
        var text = ""

        for _ in 0..<3 {
            await kernel.turn()
            if case .bytes(let bytes)? = body.source.nextIfReady() { text += bytes.text }
        }

        #expect(text == "abc")
    }

    @Test(arguments: ["send", "response", "body"])
    func `a task that is cancelled gets the error cancelled`(place: String) async throws {
        final class Silent: BodySource {
            let pulled = Gate()
            var length: Int? { nil }
            func pull(_ pull: Pull) { pulled.admit() }
        }
        let source = Silent()
        let transport = MockTransport { _, _ in place == "body" ? .source(200, Fields(), source) : .silence }
        let kernel = try makeKernel([], transport)

        let task = Task { () throws in
            switch place {
            case "send": _ = try await kernel.send(Request(.get, anywhere))
            case "response": _ = try await kernel.begin(Request(.get, anywhere)).response
            default: for try await _ in try await kernel.send(Request(.get, anywhere)).body {}
            }
        }
        if place == "body" { try await source.pulled.opened() } else { try await transport.began.opened() }
        task.cancel()
        let error = await #expect(throws: PlugboardError.self) { try await task.value }

        #expect(error?.code == .cancelled)
    }

    @Test(arguments: ["send", "response"])
    func `a task that was cancelled before gets it, too`(place: String) async throws {
        let kernel = try makeKernel([], MockTransport { _, _ in .silence })
        let gate = Gate()

        let task = Task { () throws in
            try? await gate.opened()
            if place == "send" {
                _ = try await kernel.send(Request(.get, anywhere))
            } else {
                _ = try await kernel.begin(Request(.get, anywhere)).response
            }
        }
        task.cancel()
        gate.open()
        let error = await #expect(throws: PlugboardError.self) { try await task.value }

        #expect(error?.code == .cancelled)
    }
}
