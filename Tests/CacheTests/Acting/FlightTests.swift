import Plugboard
import PlugboardCache
import PlugboardCacheOptions
import Synchronization
import TestSupport
import Testing

/// Identical requests under way make one attempt (the setting `singleFlight`).
struct FlightTests {
    private static let fresh: Fields = ["Cache-Control": "max-age=60"]

    @Test(arguments: Linkage.allCases)
    func `fifty identical requests at once make one attempt`(linkage: Linkage) async throws {
        let body = GatedSource(["hello"])
        let transport = MockTransport { _, _ in .source(200, Self.fresh, body) }
        let bench = try CacheBench(linkage, transport)

        let bodies = try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await bench.get().body } }
            // All requests wait before the first one's body may end.
            try await bench.settled(50)
            body.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(bodies == Array(repeating: "hello", count: 50))
        #expect(transport.requests.count == 1)
        #expect(bench.events.lines.count { $0 == "hit" } == 49)
    }

    @Test(arguments: Linkage.allCases)
    func `if the first response is not stored, all others are sent at once`(linkage: Linkage) async throws {
        // The others get responses when ten have come, so they cannot be sent one after the other.
        let (go, all) = (Gate(), Gate())
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            if connection.index > 1 { all.admit() }
            try connection.wait(for: connection.index == 1 ? go : all, count: connection.index == 1 ? 1 : 10)
            try connection.respond(fields: [("Cache-Control", "no-store"), ("Connection", "close")], body: "x")
        }
        defer { server.stop() }
        let bench = try CacheBench(linkage)

        let bodies = try await withThrowingTaskGroup { group in
            for _ in 0..<11 { group.addTask { try await bench.get(server.url()).body } }
            try await bench.settled(11)
            go.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(bodies.count == 11)
    }

    @Test(arguments: Linkage.allCases)
    func `if the first request is cancelled, one of the others is sent`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in number == 1 ? .silence : .respond(200, Self.fresh, ["second"]) }
        let bench = try CacheBench(linkage, transport)
        let first = bench.kernel.begin(Request(.get, "http://a.test/"))
        try await transport.began.opened()
        let others = (0..<5).map { _ in Task { try await bench.get().body } }
        try await bench.settled(6)

        first.cancel()
        var bodies: [String] = []
        for other in others { bodies.append(try await other.value) }

        #expect(bodies == Array(repeating: "second", count: 5))
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `if the first request fails, one of the others is sent`(linkage: Linkage) async throws {
        let broken = GatedSource(["par"], ending: .broken(PlugboardError(.bodyCut, "cut")))
        let transport = MockTransport { _, number in
            number == 1 ? .source(200, Self.fresh, broken) : .respond(200, Self.fresh, ["whole"])
        }
        let bench = try CacheBench(linkage, transport)
        let first = Task { try await bench.get().body }
        try await transport.began.opened()
        let others = (0..<5).map { _ in Task { try await bench.get().body } }
        try await bench.settled(6)

        broken.open()
        let result = await first.result
        var bodies: [String] = []
        for other in others { bodies.append(try await other.value) }

        #expect(throws: PlugboardError.self) { try result.get() }
        #expect(bodies == Array(repeating: "whole", count: 5))
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a waiting request keeps its own timeout`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in .silence }
        let bench = try CacheBench(linkage, transport)
        let first = bench.kernel.begin(Request(.get, "http://a.test/"))
        try await transport.began.opened()
        var request = Request(.get, "http://a.test/")
        request.options.timeout = .seconds(2)
        let other = Task { [request] in try await bench.send(request) }
        try await bench.settled(2)

        bench.clock.advance(by: .seconds(3))
        let result = await other.result

        let error = #expect(throws: PlugboardError.self) { try result.get() }
        #expect(error?.code == .timeoutExchange)
        #expect(transport.requests.count == 1)
        first.cancel()
    }

    @Test(arguments: Linkage.allCases)
    func `a first request whose body is not read does not delay the second`(linkage: Linkage) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            let size = connection.index == 1 ? 8 << 20 : 3
            try connection.write("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: \(size)\r\n\r\n")
            try connection.write(Script.letters(size))
        }
        defer { server.stop() }
        // The real clock: the wait is half a second, and the moment to advance a manual clock is unknown.
        let bench = try CacheBench(linkage, clock: nil)
        let unread = try await bench.kernel.send(Request(.get, server.url()))

        let second = try await bench.get(server.url())

        #expect(second.body == "abc")
        withExtendedLifetime(unread) {}
    }

    @Test(arguments: Linkage.allCases)
    func `no request waits longer than the limit`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in number == 1 ? .silence : .respond(200, Self.fresh, ["own"]) }
        let bench = try CacheBench(linkage, transport, settings: ["singleFlightLimit": "0s"])
        let first = bench.kernel.begin(Request(.get, "http://a.test/"))
        try await transport.began.opened()

        let second = try await bench.get()

        #expect(second.body == "own")
        first.cancel()
    }

    @Test(arguments: Linkage.allCases, [false, true])
    func `with singleFlight off no request waits`(linkage: Linkage, byRequest: Bool) async throws {
        let transport = MockTransport { _, number in number == 1 ? .silence : .respond(200, Self.fresh, ["own"]) }
        let bench = try CacheBench(linkage, transport, settings: byRequest ? [:] : ["singleFlight": false])
        let first = bench.kernel.begin(Request(.get, "http://a.test/"))
        try await transport.began.opened()
        var request = Request(.get, "http://a.test/")
        if byRequest { request.cache.singleFlight = false }

        let second = try await bench.send(request)

        #expect(second.body == "own")
        first.cancel()
    }

    @Test(arguments: Linkage.allCases)
    func `unsafe requests never wait`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in number == 1 ? .silence : .respond(200, Fields(), ["done"]) }
        let bench = try CacheBench(linkage, transport)
        let first = bench.kernel.begin(Request(.post, "http://a.test/"))
        try await transport.began.opened()

        let second = try await bench.send(Request(.post, "http://a.test/"))

        #expect(second.body == "done")
        first.cancel()
    }
}
