import Plugboard
import TestSupport
import Testing

@Suite struct `Rules 2 and 3: turns, and responses of plugins` {
    @Test func `a plugin that responds keeps the transport silent and does not see its own response`() async throws {
        let record = Record()
        let transport = MockTransport()
        let responding = recorder("b", priority: 2, record)
        responding.onRequest = { _ in .respond(ResponseHead(status: 204)) }
        let plugins = [recorder("a", priority: 1, record), responding, recorder("c", priority: 3, record)]
        let kernel = try makeKernel(plugins, transport)

        let response = try await kernel.send(Request(.get, anywhere))

        #expect(response.status == 204)
        #expect(response.attempts == 0)
        #expect(transport.requests.isEmpty)
        #expect(record.lines == ["a request", "a response 204", "a close ended"])
    }

    @Test func `turns close before the reader gets the end of the body`() async throws {
        let record = Record()
        let kernel = try makeKernel(
            [recorder("a", priority: 1, record)], MockTransport { _, _ in .respond(200, Fields(), ["x", "y"]) })

        let response = try await kernel.send(Request(.get, anywhere))
        var iterator = response.body.makeAsyncIterator()
        while let piece = try await iterator.next() { record.add("read \(piece.text)") }
        record.add("end")

        #expect(record.lines.last == "end")
        #expect(record.lines.contains("a close ended"))
    }

    @Test func `plugins whose turns are open see a failure, innermost first, and close as failed`() async throws {
        let record = Record()
        let kernel = try makeKernel(
            [recorder("a", priority: 1, record), recorder("b", priority: 2, record)],
            MockTransport { _, _ in .failure(PlugboardError(.transportConnect, "refused")) })

        let error = try await failure(of: kernel, Request(.get, anywhere))

        #expect(error.code == .transportConnect)
        #expect(error.attempt == 1)
        #expect(
            record.lines == [
                "a request", "b request", "b failure transport.connect", "a failure transport.connect",
                "b close failed", "a close failed",
            ])
    }

    @Test func `a plugin that fails a request opens no turn, and those further out see the failure`() async throws {
        let record = Record()
        let failing = recorder("b", priority: 2, record)
        failing.onRequest = { _ in .fail(PlugboardError("token.expired", "the token has expired")) }
        let kernel = try makeKernel([recorder("a", priority: 1, record), failing])

        let error = try await failure(of: kernel, Request(.get, anywhere))

        #expect(error.code == "token.expired")
        #expect(error.plugin == "b")
        #expect(record.lines == ["a request", "a failure token.expired", "a close failed"])
    }

    @Test func `a plugin further out can respond in place of a failure`() async throws {
        let record = Record()
        let rescue = recorder("a", priority: 1, record)
        rescue.onFailure = { _ in .respond(ResponseHead(status: 200), .text("stale")) }
        let kernel = try makeKernel(
            [rescue, recorder("b", priority: 2, record)],
            MockTransport { _, _ in .failure(PlugboardError(.transportConnect, "refused")) })

        let text = try await kernel.send(Request(.get, anywhere)).body.text()

        #expect(text == "stale")
        #expect(
            record.lines == [
                "a request", "b request", "b failure transport.connect", "b close replaced", "a close ended",
            ])
    }

    @Test func `state of a turn and of an exchange is kept, and released after the close`() async throws {
        final class Probe {
            let record: Record
            init(_ record: Record) { self.record = record }
            deinit { record.add("released") }
        }
        let record = Record()
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in
            exchange.turnState = Probe(record)
            exchange.state = Probe(record)
            return .next
        }
        plugin.onClose = { exchange, _ in
            record.add("close \(exchange.turnState is Probe) \(exchange.state is Probe)")
        }
        let kernel = try makeKernel([plugin])

        _ = try await kernel.send(Request(.get, anywhere)).body.collect(upTo: .kibibytes(1))

        #expect(record.lines == ["close true true", "released", "released"])
    }

    @Test func `responses without a body close their turns before the program gets them`() async throws {
        let record = Record()
        let kernel = try makeKernel(
            [recorder("a", priority: 1, record)], MockTransport { _, _ in .respond(204, Fields(), nil) })

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(record.lines == ["a request", "a response 204", "a close ended"])
    }
}
