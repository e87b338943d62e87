import Plugboard
import TestSupport
import Testing

struct ReplacedResponseTests {
    @Test func `a response in place of another closes the turns further in as replaced`() async throws {
        let record = Record()
        let old = PiecesSource(["old"])
        let replacing = recorder("b", priority: 2, record)
        replacing.onResponse = { exchange in
            record.add("b replaces \(exchange.response?.status ?? 0)")
            return .respond(ResponseHead(status: 200), .text("new"))
        }
        let kernel = try makeKernel(
            [recorder("a", priority: 1, record), replacing, recorder("c", priority: 3, record)],
            MockTransport { _, _ in .source(500, Fields(), old) })

        let response = try await kernel.send(Request(.get, anywhere))
        let text = try await response.body.text()

        #expect(response.status == 200)
        #expect(text == "new")
        #expect(old.releases == 1)
        #expect(old.pulls == 0)
        #expect(
            record.lines == [
                "a request", "b request", "c request", "c response 500", "b replaces 500", "c close replaced",
                "a response 200", "b close ended", "a close ended",
            ])
    }
}
