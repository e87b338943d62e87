import Plugboard
import PlugboardCache
import PlugboardCacheOptions
import TestSupport
import Testing

/// Stale responses are served if allowed, and otherwise become a 504 (RFC 9111 §4.2.4, §5.2.2.2, RFC 5861).
struct StaleTests {
    private static let gone = PlugboardError(.transportConnect, "nobody there")

    @Test(arguments: Linkage.allCases)
    func `a stale response is served while the server is unreachable`(linkage: Linkage) async throws {
        let bench = try await bench(linkage, "max-age=10", then: .failure(Self.gone))

        let second = try await bench.get()

        #expect(second.head.status == 200 && second.body == "old" && second.head.fields["Age"] == "11")
        #expect(bench.events.lines == ["miss", "stored", "stale"])
    }

    @Test(arguments: Linkage.allCases)
    func `a stale response with must-revalidate becomes a 504`(linkage: Linkage) async throws {
        let bench = try await bench(linkage, "max-age=10, must-revalidate", then: .failure(Self.gone))

        let second = try await bench.get()

        #expect(second.head.status == 504 && second.body == "")
        #expect(bench.events.lines == ["miss", "stored", "miss"])
    }

    @Test(arguments: Linkage.allCases)
    func `a failure that is not the network's passes`(linkage: Linkage) async throws {
        let bench = try await bench(
            linkage, "max-age=10", then: .failure(PlugboardError(.transportTLSCertificate, "not to be trusted")))

        let error = await #expect(throws: PlugboardError.self) { try await bench.get() }

        #expect(error?.code == .transportTLSCertificate)
        #expect(bench.events.lines == ["miss", "stored", "miss"])
    }

    @Test(arguments: Linkage.allCases)
    func `stale-if-error serves a stale response instead of a server's error`(linkage: Linkage) async throws {
        let bench = try await bench(linkage, "max-age=10, stale-if-error=60", then: .respond(503, Fields(), ["broken"]))

        let second = try await bench.get()

        #expect(second.head.status == 200 && second.body == "old")
        #expect(bench.events.lines == ["miss", "stored", "stale"])
    }

    @Test(arguments: Linkage.allCases, [("retry.circuitOpen", true), ("scripted.refused", false)])
    func `an open circuit of retry counts as unreachable, and a refusal of another plugin does not`(
        linkage: Linkage, failure: (code: String, isServed: Bool)
    ) async throws {
        let inside = ScriptedPlugin("inside", priority: 800)
        let visits = Gate()
        inside.onRequest = { _ in
            visits.admit()
            return visits.admitted == 1 ? .next : .fail(PlugboardError(.init(failure.code), "not now"))
        }
        let transport = MockTransport { _, _ in .respond(200, ["Cache-Control": "max-age=10"], ["old"]) }
        let bench = try CacheBench(linkage, transport, beside: [inside])
        try await bench.get()
        bench.clock.advance(by: .seconds(11))

        let second = try? await bench.get()

        #expect(second?.body == (failure.isServed ? "old" : nil))
        #expect(bench.events.lines.last == (failure.isServed ? "stale" : "miss"))
    }

    @Test(arguments: Linkage.allCases)
    func `with a stopped real server the stale response is served`(linkage: Linkage) async throws {
        let server = try LoopbackServer(
            .inTurn(
                Script { connection in
                    _ = try connection.readRequest()
                    try connection.respond(
                        fields: [("Cache-Control", "max-age=10"), ("Connection", "close")], body: "old")
                },
                Script { connection in
                    _ = try connection.readRequest()
                    connection.reset()
                }))
        defer { server.stop() }
        let bench = try CacheBench(linkage)
        try await bench.get(server.url())
        bench.clock.advance(by: .seconds(11))

        let second = try await bench.get(server.url())

        #expect(second.body == "old")
    }

    @Test(arguments: Linkage.allCases)
    func `only-if-cached sends nothing`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in .respond(200, ["Cache-Control": "max-age=10"], ["x"]) }
        let bench = try CacheBench(linkage, transport)

        let nothing = try await bench.get("http://a.test/", ["Cache-Control": "only-if-cached"])
        var request = Request(.get, "http://a.test/")
        request.cache.mode = .onlyIfCached
        let still = try await bench.send(request)
        try await bench.get()
        let stored = try await bench.send(request)

        #expect(nothing.head.status == 504 && still.head.status == 504 && stored.body == "x")
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `stale-while-revalidate responds at once, and validates once in the background`(linkage: Linkage) async throws
    {
        let refreshed = Gate()
        let watcher = ScriptedPlugin("watcher", priority: 10)
        watcher.events = ["cache.stored"]
        watcher.onEvent = { _, _ in refreshed.admit() }
        let responses = GatedSource(["new"])
        let transport = MockTransport { _, number in
            number == 1
                ? .respond(200, ["Cache-Control": "max-age=10, stale-while-revalidate=60", "ETag": "\"1\""], ["old"])
                : .source(200, ["Cache-Control": "max-age=10", "ETag": "\"2\""], responses)
        }
        let bench = try CacheBench(linkage, transport, beside: [watcher])
        try await bench.get()
        try await refreshed.opened()
        bench.clock.advance(by: .seconds(11))

        var bodies: [String] = []
        for _ in 0..<3 { bodies.append(try await bench.get("http://a.test/", ["Cookie": "a=b"]).body) }
        try await transport.began.opened(for: 2)
        responses.open()
        try await refreshed.opened(for: 2)
        let after = try await bench.get()

        #expect(bodies == ["old", "old", "old"] && after.body == "new")
        #expect(transport.requests.count == 2)
        #expect(
            transport.requests[1].fields["If-None-Match"] == "\"1\"" && transport.requests[1].fields["Cookie"] == "a=b")
        #expect(bench.events.lines == ["miss", "stored", "stale", "stale", "stale", "hit"])
    }

    @Test(arguments: Linkage.allCases)
    func `a 304 in the background makes the stored response fresh again`(linkage: Linkage) async throws {
        let refreshed = Gate()
        let watcher = ScriptedPlugin("watcher", priority: 10)
        watcher.events = ["cache.refreshed"]
        watcher.onEvent = { _, _ in refreshed.admit() }
        let transport = MockTransport { _, number in
            let fields: Fields = ["Cache-Control": "max-age=10, stale-while-revalidate=60", "ETag": "\"1\""]
            return number == 1 ? .respond(200, fields, ["old"]) : .respond(304, fields, nil)
        }
        let bench = try CacheBench(linkage, transport, beside: [watcher])
        try await bench.get()
        bench.clock.advance(by: .seconds(11))
        try await bench.get()
        try await refreshed.opened()

        let after = try await bench.get()

        #expect(after.body == "old" && after.head.fields["Age"] == "0")
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a failed revalidation keeps the stored response, and is repeated after a delay`(linkage: Linkage)
        async throws
    {
        let transport = MockTransport { _, number in
            number == 1
                ? .respond(200, ["Cache-Control": "max-age=10, stale-while-revalidate=60"], ["old"])
                : .failure(Self.gone)
        }
        let bench = try CacheBench(linkage, transport)
        try await bench.get()
        bench.clock.advance(by: .seconds(11))

        for count in 2...3 {
            #expect(try await bench.get().body == "old")
            try await transport.began.opened(for: count)
            try await bench.settled(count)
            #expect(try await bench.get().body == "old")
            bench.clock.advance(by: .seconds(count - 1))
        }

        #expect(transport.requests.count == 3)
    }

    /// A cache that stored "old" with these directives eleven seconds ago.
    private func bench(
        _ linkage: Linkage, _ directives: String, then next: MockTransport.Outcome
    ) async throws -> CacheBench {
        let transport = MockTransport { _, number in
            number == 1 ? .respond(200, ["Cache-Control": directives], ["old"]) : next
        }
        let bench = try CacheBench(linkage, transport)
        try await bench.get()
        bench.clock.advance(by: .seconds(11))
        return bench
    }
}
