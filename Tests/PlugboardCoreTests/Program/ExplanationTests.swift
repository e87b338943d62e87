import Plugboard
import TestSupport
import Testing

struct ExplanationTests {
    @Test func `a program gets the table of explain, without secrets`() async throws {
        let sign = PluginEntry.hooks(
            "com.acme.sign", priority: 900,
            onRequest: { exchange in
                exchange.request["x-signature"] = "hidden"
                return .next
            })
        let kernel = try Kernel(
            plugins: [.redirect, sign], transport: MockTransport { _, _ in .respond(200, Fields(), ["hello"]) },
            log: .silent)
        var request = Request(.get, "http://u:hidden@a.test/?key=hidden")
        request.redirect.limit = 2

        let explanation = await kernel.explain(request)
        let again = await kernel.explain(request)
        await kernel.shutDown()

        let lines = "\(explanation)".split(separator: "\n")
        #expect(explanation.status == 200 && explanation.bodyLength == 5 && explanation.failure == nil)
        #expect(explanation.duration > .zero && again.status == 200)
        #expect(lines.first == "GET http://a.test/?key=…" && lines.contains("  redirect.limit = 2"))
        #expect(lines.contains { $0.hasPrefix("AT") && $0.contains("WHO") && $0.contains("DECIDED") })
        #expect(lines.contains { $0.contains("com.acme.sign") && $0.contains("onRequest") && $0.contains("next") })
        #expect(lines.contains { $0.hasPrefix("Status 200, a body of 5 bytes, attempts: 1, ") })
        #expect(!"\(explanation)".contains("hidden"))
    }

    @Test func `a failure is in the explanation`() async throws {
        let transport = MockTransport { _, _ in .failure(PlugboardError(.transportDNS, "No address.")) }
        let kernel = try Kernel(transport: transport, log: .silent)

        let explanation = await kernel.explain(Request(.get, "http://a.test/"))
        await kernel.shutDown()

        #expect(explanation.failure?.code == .transportDNS && explanation.status == nil)
        #expect("\(explanation)".contains("Failed after "))
    }
}
