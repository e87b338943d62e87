import Plugboard
import PlugboardKit
import TestSupport
import Testing

/// Plugins whose configuration says that the exchange goes on without them when they break the rules.
struct SkippedFaultTests {
    private struct Broken: Error {}

    private func response(
        _ fault: PluginEntry.OnFault, _ record: Record,
        _ onResponse: @escaping @Sendable (borrowing Exchange) throws -> ResponseVerdict
    ) async throws -> Response {
        let broken = recorder("b", priority: 2, record)
        broken.onResponse = onResponse
        let kernel = try makeKernel(
            [recorder("a", priority: 1, record), broken, recorder("c", priority: 3, record)],
            MockTransport { _, _ in .respond(200, ["X-Kept": "yes"], ["one ", "two ", "three"]) }
        ) {
            for index in $0.plugins.indices where $0.plugins[index].id == "b" { $0.plugins[index].onFault = fault }
        }
        return try await kernel.send(Request(.get, anywhere))
    }

    @Test func `a fault on a response is passed over, and the body flows on`() async throws {
        let record = Record()

        let response = try await self.response(.skip, record) { _ in throw Broken() }
        let text = try await response.body.text()

        #expect(text == "one two three")
        #expect(
            record.lines == [
                "a request", "b request", "c request", "c response 200", "a response 200", "c close ended",
                "b close ended", "a close ended",
            ])
    }

    @Test func `what the plugin did to the response before its fault is undone`() async throws {
        let response = try await self.response(.skip, Record()) { exchange in
            exchange.response?["X-Kept"] = nil
            exchange.response?["X-Half"] = "done"
            exchange.response?.status = 500
            throw Broken()
        }
        let text = try await response.body.text()

        #expect(response.status == 200)
        #expect(response["X-Kept"] == "yes")
        #expect(response["X-Half"] == nil)
        #expect(text == "one two three")
    }

    /// The head that the plugin left belongs to the body that it holds.
    @Test func `a fault after a plugin held a body of its own keeps head and body together`() async throws {
        let response = try await self.response(.skip, Record()) { exchange in
            guard exchange.visit == .first else { throw Broken() }
            exchange.response?["X-Coding"] = "own"
            exchange.wrapResponseBody { _ in PiecesSource(["coded"]) }
            return .hold(upTo: .kibibytes(1))
        }
        let text = try await response.body.text()

        #expect(response["X-Coding"] == "own")
        #expect(text == "coded")
    }

    @Test func `without that the fault fails the exchange`() async throws {
        let record = Record()

        let error = await #expect(throws: PlugboardError.self) {
            try await self.response(.fail, record) { _ in throw Broken() }
        }

        #expect(error?.code == .pluginFault)
        #expect(error?.plugin == "b")
        #expect(record.lines.suffix(2) == ["b close failed", "a close failed"])
    }
}
