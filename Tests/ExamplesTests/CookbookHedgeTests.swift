import PlugboardTesting
import TestSupport
import Testing

@testable import ExampleCookbook

/// A second request for one whose response is late.
struct CookbookHedgeTests {
    private let url = "https://api.test/v1/feed?page=2"

    /// Lets the time of the bench pass until the second request is sent.
    private func hedge(_ bench: Workbench) async {
        while bench.transport.requests.count < 2 {
            bench.clock.advance(by: .milliseconds(200))
            await Task.yield()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a request without a response in time is sent once more, and the first response counts`() async throws {
        let bench = try Workbench(
            Hedge.self,
            transport: ScriptedTransport { _, number in
                number == 1 ? .silence : .respond(200, ["X-Number": "\(number)"], body: .text("hello"))
            })

        let handle = bench.begin(Request(.get, url, fields: ["Authorization": "Bearer 1"]))
        await hedge(bench)
        let response = try await handle.response

        #expect(response["X-Number"] == "2")
        #expect(try await response.body.text() == "hello")
        #expect(bench.transport.requests.map(\.url) == [url, url])
        #expect(bench.transport.requests.map { $0[.authorization] } == ["Bearer 1", "Bearer 1"])
        await bench.kernel.shutDown()
    }

    @Test func `a request with a response in time is sent once, and so is one that is not safe`() async throws {
        let bench = try Workbench(Hedge.self)

        _ = try await bench.send(Request(.get, url)).body.text()
        _ = try await bench.send(Request(.post, url, body: .text("order")))
        bench.clock.advance(by: .seconds(1))
        await bench.kernel.shutDown()

        #expect(bench.transport.requests.map(\.method) == [.get, .post])
    }

    @Test func `a request with a body is sent once, with its body`() async throws {
        let bench = try Workbench(Hedge.self)

        let handle = bench.begin(Request(.get, url, body: .text("a query")))
        _ = await bench.transport.requests(atLeast: 1)
        bench.clock.advance(by: .seconds(1))
        _ = try await handle.response.body.text()
        await bench.kernel.shutDown()

        #expect(bench.transport.requests.map { $0.body?.text } == ["a query"])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a failure counts only if there is no response`() async throws {
        let refused = PlugboardError(.transportConnect, "refused")
        let once = try Workbench(
            Hedge.self, transport: ScriptedTransport { _, number in number == 1 ? .fail(refused) : .respond(200) })
        let twice = try Workbench(Hedge.self, transport: ScriptedTransport { _, _ in .fail(refused) })

        let handles = [once.begin(Request(.get, url)), twice.begin(Request(.get, url))]
        await hedge(once)
        await hedge(twice)

        #expect(try await handles[0].response.status == 200)
        let error = await #expect(throws: PlugboardError.self) { try await handles[1].response }
        #expect(error?.code == .transportConnect)
    }
}
