import PlugboardTesting
import Synchronization
import TestSupport
import Testing

struct ScriptedTransportTests {
    private let url = "https://api.test/"

    private func kernel(_ transport: ScriptedTransport) throws -> Kernel {
        try Kernel(catalog: Catalog([]), transport: transport, log: .silent)
    }

    @Test func `a script gets the whole request with its body, and the attempt's number`() async throws {
        let numbers = Mutex<[Int]>([])
        let transport = ScriptedTransport { sent, number in
            numbers.withLock { $0.append(number) }
            return .respond(201, ["X-Length": "\(sent.body?.count ?? -1)"], body: .text(sent.url))
        }
        let kernel = try kernel(transport)

        let posted = try await kernel.send(Request(.post, url, body: .text("hello")))
        let got = try await kernel.send(Request(.get, url, fields: ["X-A": "b"]))

        #expect(posted.status == 201 && posted["X-Length"] == "5" && got["X-Length"] == "-1")
        #expect(try await got.body.text() == url)
        #expect(numbers.withLock { $0 } == [1, 2])
        #expect(transport.requests.map { $0.body?.text } == ["hello", nil])
        #expect(transport.requests[1]["x-a"] == "b")
    }

    @Test(arguments: [(Method.head, 200), (.get, 204), (.get, 304)])
    func `a response with a status that excludes a body has no body`(method: PlugboardMessages.Method, status: Int)
        async throws
    {
        let kernel = try kernel(ScriptedTransport { _, _ in .respond(status, body: .text("not this")) })

        let text = try await kernel.send(Request(method, url)).body.text()

        #expect(text == "")
    }

    @Test func `a scripted failure and a broken request body both fail the request, the latter without the script`()
        async throws
    {
        let transport = ScriptedTransport { _, _ in .fail(PlugboardError(.transportReset, "reset")) }
        let kernel = try kernel(transport)
        let broken = PiecesSource(["a"], ending: .broken(PlugboardError("disk", "full")))

        let first = await #expect(throws: PlugboardError.self) { try await kernel.send(Request(.get, url)) }
        let second = await #expect(throws: PlugboardError.self) {
            try await kernel.send(Request(.put, url, body: Body(broken)))
        }

        #expect(first?.code == .transportReset)
        #expect(second?.code == "disk")
        #expect(transport.requests.count == 1)
    }

    @Test func `cancelling ends an attempt without an outcome, and a script that waits`() async throws {
        let ended = Gate()
        let transport = ScriptedTransport { sent, _ in
            if sent.method == .get { return .silence }
            do { try await Gate().opened() } catch { ended.admit() }
            return .respond(200)
        }
        let kernel = try kernel(transport)

        let handles = [kernel.begin(Request(.get, url)), kernel.begin(Request(.post, url))]
        _ = await transport.requests(atLeast: 2)
        for handle in handles {
            handle.cancel()
            let error = await #expect(throws: PlugboardError.self) { try await handle.response }
            #expect(error?.code == .cancelled)
        }

        try await ended.opened()
    }

    @Test func `waiting for requests ends when the task is cancelled`() async throws {
        let transport = ScriptedTransport()

        let waiting = Task { await transport.requests(atLeast: 1).count }
        waiting.cancel()

        #expect(await waiting.value == 0)
    }
}
