import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import PlugboardValidator
import PlugboardValidatorOptions
import Synchronization
import TestSupport
import Testing

/// How long documents that were fetched, and failures, are remembered.
struct FetchMemoryTests {
    private static let json = Fields(["Content-Type": "application/json"])

    private func kernel(
        _ linkage: Linkage, _ settings: JSONObject = [:], clock: ManualClock? = nil,
        _ document: @escaping @Sendable (String) -> MockTransport.Outcome
    ) throws -> (Kernel, MockTransport) {
        let transport = MockTransport { request, _ in
            request.url.hasPrefix("https://schemas.test/")
                ? document(request.url) : .respond(200, FetchMemoryTests.json, ["7"])
        }
        var settings = settings
        settings["fetch"] = ["https://schemas.test/"]
        return (
            try linkage.kernel(validatorPlugin(), transport, clock: clock, settings: settings), transport
        )
    }

    /// A request whose schema is compiled for itself, because its text has a number of its own.
    private func request(_ reference: String, _ number: Int = 0) -> Request {
        var request = Request(.get, "http://a.test/")
        request.validator.schema = #"{"$ref": "\#(reference)", "title": "\#(number)"}"#
        return request
    }

    @Test(arguments: Linkage.allCases)
    func `documents are dropped when their texts are larger than 32 MiB together`(linkage: Linkage) async throws {
        let spaces = String(repeating: " ", count: 17 << 20)
        let (kernel, transport) = try kernel(linkage, ["fetchSize": "20MiB"]) { url in
            .respond(
                200, FetchMemoryTests.json, [#"{"type": "integer"}"#, url.hasSuffix("/small") ? "" : spaces])
        }
        func fetched(_ name: String) -> Int { transport.requests.count { $0.url == "https://schemas.test/\(name)" } }

        for (number, name) in ["a", "small", "a", "small"].enumerated() {
            #expect(try await kernel.send(request("https://schemas.test/\(name)", number)).status == 200)
        }
        #expect(fetched("a") == 1 && fetched("small") == 1)
        for (number, name) in ["b", "a"].enumerated() {
            #expect(try await kernel.send(request("https://schemas.test/\(name)", number + 10)).status == 200)
        }

        #expect(fetched("b") == 1 && fetched("a") == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a document is fetched by the route of the exchange, and serves this route only`(linkage: Linkage) async throws
    {
        let (kernel, transport) = try kernel(linkage) { _ in .respond(200, Self.json, [#"{"type": "integer"}"#]) }
        var (first, second) = (request("https://schemas.test/a"), request("https://schemas.test/a"))
        first.options.unixSocket = "/run/a.sock"
        second.options.proxy = "http://proxy.test:1"

        for request in [first, second, first] { _ = try await kernel.send(request) }

        let fetched = transport.requests.filter { $0.url == "https://schemas.test/a" }.map(\.options)
        #expect(fetched.map(\.unixSocket) == ["/run/a.sock", nil])
        #expect(fetched.map(\.proxy) == [nil, "http://proxy.test:1"])
    }

    @Test(arguments: Linkage.allCases)
    func `a schema that cannot be compiled for want of a document is tried again after ten seconds`(linkage: Linkage)
        async throws
    {
        let clock = ManualClock()
        let isThere = Atomic(false)
        let (kernel, transport) = try kernel(linkage, clock: clock) { _ in
            isThere.load(ordering: .relaxed)
                ? .respond(200, FetchMemoryTests.json, [#"{"type": "integer"}"#]) : .respond(404, Fields(), [])
        }
        func fetched() -> Int { transport.requests.count { $0.url == "https://schemas.test/a" } }

        await #expect(throws: PlugboardError.self) { try await kernel.send(request("https://schemas.test/a")) }
        isThere.store(true, ordering: .relaxed)
        clock.advance(by: .seconds(9))
        await #expect(throws: PlugboardError.self) { try await kernel.send(request("https://schemas.test/a")) }
        #expect(fetched() == 1)
        clock.advance(by: .seconds(2))

        #expect(try await kernel.send(request("https://schemas.test/a")).status == 200)
        #expect(fetched() == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a document whose fetch is under way when all are forgotten is fetched again`(linkage: Linkage) async throws {
        let body = SteppedSource()
        let attempts = Atomic(0)
        let began = Gate()
        let (kernel, transport) = try kernel(linkage) { _ in
            let number = attempts.add(1, ordering: .relaxed).newValue
            began.admit()
            return number == 1
                ? .source(200, FetchMemoryTests.json, body)
                : .respond(200, FetchMemoryTests.json, [#"{"type": "integer"}"#])
        }

        let old = Task { try await kernel.send(request("https://schemas.test/a")) }
        try await began.opened()
        _ = try await kernel.command("validator", "forget", "")
        body.give(#"{"type": "string"}"#)
        body.give(nil)
        let error = await #expect(throws: PlugboardError.self) { try await old.value }

        #expect(error?.code == .validatorInvalid)
        #expect(try await kernel.send(request("https://schemas.test/a")).status == 200)
        #expect(transport.requests.count { $0.url == "https://schemas.test/a" } == 2)
    }
}
