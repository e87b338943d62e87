import PlugboardCore
import PlugboardKit
import TestSupport
import Testing

/// `whole_response_body`: a plugin reads a body that has come already, without a source around it.
struct WholeBodyTests {
    /// What `withWholeResponseBody` gives, as a line.
    private static func look(_ exchange: borrowing Exchange) -> String {
        exchange.withWholeResponseBody { String(decoding: $0, as: UTF8.self) } ?? "not there"
    }

    private func giving(_ body: Body) -> MockTransport { MockTransport { _, _ in .source(200, [:], body.source) } }

    @Test(arguments: ["hello", ""])
    func `a plugin sees a body that is in memory, and the reader gets it too`(text: String) async throws {
        let seen = Record()
        let looker = ScriptedPlugin("looker")
        looker.onResponse = { exchange in
            seen.add(WholeBodyTests.look(exchange))
            seen.add(WholeBodyTests.look(exchange))
            return .next
        }
        let kernel = try makeKernel([looker], giving(Body.text(text)))

        let response = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(try await response.body.text() == text)
        #expect(seen.lines == [text, text])
        await kernel.shutDown()
    }

    @Test func `a body that has not come as a whole is not shown, and the reader gets all of it`() async throws {
        let seen = Record()
        let looker = ScriptedPlugin("looker")
        looker.onResponse = { exchange in
            seen.add(WholeBodyTests.look(exchange))
            return .next
        }
        for body in [Body.joined([.text("hel"), .text("lo")]), Body(LateSource())] {
            let kernel = try makeKernel([looker], giving(body))
            let response = try await kernel.send(Request(.get, "http://a.test/"))
            #expect(try await response.body.text() == "hello")
            await kernel.shutDown()
        }

        #expect(seen.lines == ["not there", "not there"])
    }

    @Test func `bytes that a plugin responds with reach the plugins outside as a whole`() async throws {
        let seen = Record()
        let looker = ScriptedPlugin("looker", priority: 100)
        looker.onResponse = { exchange in
            seen.add(WholeBodyTests.look(exchange))
            return .next
        }
        let responder = ScriptedPlugin("responder", priority: 200)
        responder.onRequest = { _ in .respond(ResponseHead(status: 200), .text("hello")) }
        let kernel = try makeKernel([looker, responder], MockTransport())

        let response = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(try await response.body.text() == "hello")
        #expect(seen.lines == ["hello"])
        await kernel.shutDown()
    }

    @Test func `there is no body to look at in a request, and none after it was taken`() async throws {
        let seen = Record()
        let looker = ScriptedPlugin("looker")
        looker.onRequest = { exchange in
            seen.add(WholeBodyTests.look(exchange))
            return .next
        }
        looker.onResponse = { exchange in
            exchange.wrapResponseBody { $0 }
            seen.add(WholeBodyTests.look(exchange))
            return .next
        }
        let kernel = try makeKernel([looker], giving(.text("hello")))

        let response = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(try await response.body.text() == "hello")
        #expect(seen.lines == ["not there", "not there"])
        await kernel.shutDown()
    }
}

/// Knows its length, and gives its bytes when it is pulled.
private final class LateSource: BodySource {
    private let inner = Body.text("hello").source

    var length: Int? { 5 }
    func pull(_ pull: Pull) { inner.pull(pull) }
}
