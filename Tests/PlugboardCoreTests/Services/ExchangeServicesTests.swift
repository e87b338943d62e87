import Plugboard
import Synchronization
import TestSupport
import Testing

/// The services of an exchange, as plugins in C use them: `Fixtures/Plugins/services_exchange.c`, `services_refresh.c`.
struct ExchangeServicesTests {
    private let id = "com.example.services-exchange"

    private func request(_ what: String, _ attributes: [String: String] = [:]) -> Request {
        var request = Request(.get, anywhere)
        request.attributes["\(id).do"] = what
        for (name, value) in attributes { request.attributes["\(id).\(name)"] = value }
        return request
    }

    // MARK: Attributes

    @Test func `attributes are read and set, up to their limit, and one that is not there is nothing`() async throws {
        let transport = MockTransport()
        let kernel = try FixturePlugin.kernel("services_exchange", transport)

        _ = try await kernel.send(request("attributes", ["limit": "7", "label": "the caller's"]))

        let fields = try #require(transport.requests.first?.fields)
        #expect(fields["x-limit"] == "7")
        #expect(fields["x-set"] == "0" && fields["x-label"] == "set")
        #expect(fields["x-none"] == "1")
        #expect(fields["x-bad"] == "3" && fields["x-unknown"] == "5" && fields["x-stranger"] == "5")
        #expect(fields["x-too-large"] == "4")
    }

    @Test func `an origin's attributes hold where the request says nothing`() async throws {
        let transport = MockTransport()
        let kernel = try FixturePlugin.kernel("services_exchange", transport) {
            $0.origins = ["http://origin.test": ["\(id).limit": "3"]]
        }

        _ = try await kernel.send(request("attributes"))
        _ = try await kernel.send(request("attributes", ["limit": "4"]))

        #expect(transport.requests.map { $0.fields["x-limit"] } == ["3", "4"])
    }

    @Test(arguments: [("limit", "ten"), ("limit", "10"), ("do", "nothing"), ("lmit", "1")])
    func `what the table does not allow is refused before the plugin sees it`(
        name: String, value: String
    ) async throws {
        let transport = MockTransport()
        let kernel = try FixturePlugin.kernel("services_exchange", transport)
        var request = Request(.get, anywhere)
        request.attributes["\(id).\(name)"] = value

        let error = try await failure(of: kernel, request)

        #expect(error.code == .requestOption)
        #expect(transport.requests.isEmpty)
    }

    // MARK: Fields

    @Test(arguments: [0, 1, 2, 3, 64])
    func `all fields are read in a few calls, as they are told one by one`(count: Int) async throws {
        let transport = MockTransport()
        let kernel = try FixturePlugin.kernel("services_exchange", transport)
        var request = request("fields")
        for number in 0..<count {
            request.fields.append(number % 3 == 2 ? .authorization : "x-field", number % 2 == 0 ? "\(number)" : "")
        }

        _ = try await kernel.send(request)

        let fields = try #require(transport.requests.first?.fields)
        #expect(fields["x-read"] == "\(count)")
        #expect(fields["x-secret"] == "\(count / 3)")
        #expect(fields["x-different"] == "0")
    }

    // MARK: State

    @Test(arguments: ["read", "failed", "cancelled", "dropped"])
    func `state is released exactly once, after the close, however the exchange ends`(ending: String) async throws {
        let transport = MockTransport { _, _ in
            switch ending {
            case "failed": .failure(PlugboardError(.transportReset, "reset"))
            case "cancelled": .silence
            default: .respond(200, Fields(), ["a", "b"])
            }
        }
        let kernel = try FixturePlugin.kernel("services_exchange", transport)

        let handle = kernel.begin(request("state"))
        try await transport.began.opened()
        if ending == "cancelled" { handle.cancel() }
        let response = try? await handle.response
        if ending == "read" { _ = try await response?.body.text() }
        await kernel.shutDown(within: .zero)

        #expect(kernel.counters["\(id).closed"] == 1)
        #expect(kernel.counters["\(id).turns-released"] == 1)
        #expect(kernel.counters["\(id).exchanges-released"] == 1)
        #expect(kernel.counters["\(id).early-releases"] == 0)
    }

    @Test func `a resend releases the state of a turn and keeps the state of the exchange`() async throws {
        let resending = ScriptedPlugin("resending", priority: 100)
        resending.onResponse = { exchange in exchange.response?.status == 503 ? .resend() : .next }
        let transport = MockTransport { _, number in .respond(number == 1 ? 503 : 200) }
        let kernel = try FixturePlugin.kernel("services_exchange", transport, beside: [resending])

        _ = try await kernel.send(request("state")).body.text()
        await kernel.shutDown()

        #expect(kernel.counters["\(id).closed"] == 2)
        #expect(kernel.counters["\(id).turns-released"] == 2)
        // Set again in the second turn, which releases the first.
        #expect(kernel.counters["\(id).exchanges-released"] == 2)
    }

    // MARK: Events

    @Test func `an event of an exchange reaches its watchers, and one under another's id is refused`() async throws {
        let transport = MockTransport()
        let record = Record()
        let kernel = try FixturePlugin.kernel("services_exchange", transport)

        let handle = kernel.begin(request("event")) { event in
            if event.id.contains(".") { record.add("\(event.id) \(event["number"] ?? "-")") }
        }
        _ = try await handle.response

        #expect(record.lines == ["\(id).told 42"])
        let fields = transport.requests.first?.fields
        #expect(fields?["x-own"] == "0" && fields?["x-others"] == "3")
    }

    // MARK: Sub-requests

    @Test(arguments: [("inside", 1), ("outermost", 2), ("detached", 1)])
    func `a sub-request begins at the slot that it names, and its response wakes the exchange`(
        start: String, seenOutside: Int
    ) async throws {
        let record = Record()
        let transport = MockTransport { request, _ in .respond(request.url == anywhere ? 200 : 202) }
        let kernel = try FixturePlugin.kernel(
            "services_exchange", transport, beside: [recorder("outer", priority: 1, record)])

        let status = try await kernel.send(request(start)).status

        #expect(status == 200)
        #expect(transport.requests.map(\.url) == ["http://asked.test/", anywhere])
        #expect(transport.requests.first?.fields["x-asked"] == "yes")
        #expect(transport.requests.last?.fields["x-status"] == "202")
        #expect(record.lines.filter { $0 == "outer request" }.count == seenOutside)
    }

    @Test func `a sub-request for no exchange that is not detached fails, and says so to the asker`() async throws {
        let transport = MockTransport()
        let kernel = try FixturePlugin.kernel("services_exchange", transport)

        _ = try await kernel.send(request("orphan"))

        #expect(transport.requests.map { $0.fields["x-status"] } == ["0"])
    }

    @Test func `the failure of a sub-request is reported to its plugin`() async throws {
        let transport = MockTransport { request, _ in
            request.url == anywhere ? .respond(200) : .failure(PlugboardError(.transportConnect, "refused"))
        }
        let kernel = try FixturePlugin.kernel("services_exchange", transport)

        _ = try await kernel.send(request("inside"))

        #expect(transport.requests.last?.fields["x-status"] == "0")
    }

    // MARK: One token for all exchanges that wait

    @Test func `one sub-request fetches the token that all exchanges wait for`() async throws {
        let gate = Gate()
        let transport = MockTransport { request, _ in
            request.url == anywhere
                ? .respond(200) : .source(200, Fields(), GatedSource(PiecesSource(["to", "ken"]), gate))
        }
        let kernel = try FixturePlugin.kernel("services_refresh", transport)

        let handles = (0..<20).map { _ in kernel.begin(Request(.get, anywhere)) }
        try await transport.began.opened()
        let before = transport.requests.map(\.url)
        gate.open()
        var statuses: [Int] = []
        for handle in handles { statuses.append(try await handle.response.status) }

        #expect(before == ["http://tokens.test/"])
        #expect(statuses == Array(repeating: 200, count: 20))
        #expect(transport.requests.filter { $0.url == "http://tokens.test/" }.count == 1)
        #expect(transport.requests.dropFirst().allSatisfy { $0.fields["x-token"] == "token" })
    }

    @Test func `an exchange that waits for a token that is refused fails, and the next one asks again`() async throws {
        let transport = MockTransport { request, number in
            request.url == anywhere || number > 1 ? .respond(200, Fields(), ["t"]) : .respond(500)
        }
        let kernel = try FixturePlugin.kernel("services_refresh", transport)

        let error = try await failure(of: kernel, Request(.get, anywhere))
        let status = try await kernel.send(Request(.get, anywhere)).status

        #expect(error.code == "com.example.services-refresh.refused")
        #expect(status == 200)
        #expect(transport.requests.last?.fields["x-token"] == "t")
    }
}

/// A body that completes no pull before a gate is open.
private final class GatedSource: BodySource {
    private let inner: PiecesSource
    private let gate: Gate

    init(_ inner: PiecesSource, _ gate: Gate) {
        self.inner = inner
        self.gate = gate
    }

    var length: Int? { nil }

    func pull(_ pull: Pull) {
        Task { [inner, gate] in
            try? await gate.opened()
            inner.pull(pull)
        }
    }

    func release() { inner.release() }
}
