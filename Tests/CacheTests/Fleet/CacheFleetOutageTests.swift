import Plugboard
import PlugboardCache
import PlugboardStore
import TestSupport
import Testing

/// What an engine that fails does to requests: nothing.
struct CacheFleetOutageTests {
    private static let validated: Fields = ["Cache-Control": "max-age=60", "ETag": "\"a\""]

    @Test(arguments: Linkage.allCases, [FleetEngine.Behaviour.fails(.down), .fails(.late), .fails(.invalid), .isFull])
    func `while the store fails each kernel caches for itself`(linkage: Linkage, behaviour: FleetEngine.Behaviour)
        async throws
    {
        let fleet = try CacheFleet(linkage)
        fleet.engine.behaviour = behaviour

        for bench in fleet.benches { for _ in 0..<3 { _ = try await bench.get() } }

        #expect(fleet.sent == 2)
        #expect(fleet.benches.map { $0.events.lines.suffix(2) } == [["hit", "hit"], ["hit", "hit"]])
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a store that does not respond holds a request for 50 ms, and the others not at all`(linkage: Linkage)
        async throws
    {
        let fleet = try CacheFleet(linkage)
        fleet.engine.behaviour = .isSilent

        let first = Task { try await fleet.first.get().body }
        try await fleet.engine.asked.opened()
        let before = fleet.sent
        fleet.clock.advance(by: .milliseconds(50))
        let body = try await first.value
        let asked = fleet.engine.commands.count
        let other = try await fleet.first.get("http://b.test/").body

        #expect([body, other] == ["response 1", "response 2"] && before == 0)
        #expect(fleet.engine.commands.count == asked && fleet.first.metric("alone") == 1)
        #expect(fleet.log.lines.count { $0.contains("this process caches for itself alone") } == 1)
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `after an outage kernels share again, and what was stored meanwhile is not used`(linkage: Linkage)
        async throws
    {
        let fleet = try CacheFleet(linkage)
        fleet.engine.behaviour = .fails(.down)
        for bench in fleet.benches { _ = try await bench.get() }

        fleet.engine.behaviour = .works
        fleet.clock.advance(by: .seconds(2))
        // A request asks the store again, and does not wait for it.
        for bench in fleet.benches { #expect(try await bench.get().body.hasPrefix("response")) }
        try await fleet.until { fleet.log.lines.count { $0.contains("responds again") } == 2 }
        let first = try await fleet.first.get().body
        let second = try await fleet.second.get().body

        #expect(first == second && first != "response 1" && first != "response 2")
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases, ["purge", "all", "post"])
    func `a full engine carries out purges and invalidations, which leave nothing in it`(
        linkage: Linkage, how: String
    ) async throws {
        let fleet = try CacheFleet(linkage)
        for bench in fleet.benches { _ = try await bench.get() }
        try await fleet.first.stored()
        fleet.engine.behaviour = .isFull
        let mark = ["purge": "purged", "all": "generation", "post": "invalidated"][how] ?? ""

        switch how {
        case "purge": try await fleet.first.kernel.cache.purge(.url("http://a.test/"))
        case "all": try await fleet.first.kernel.cache.forget()
        default: _ = try await fleet.first.send(Request(.post, "http://a.test/"))
        }
        try await fleet.until { fleet.engine.values("cache/1/\(mark)").isEmpty }
        try await fleet.until { try await fleet.second.get().body != "response 1" }

        #expect(fleet.benches.map { $0.metric("alone") } == [0, 0])
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases, ["purge", "post"])
    func `what is purged or invalidated during an outage is not used after it`(linkage: Linkage, how: String)
        async throws
    {
        let fleet = try CacheFleet(linkage)
        for bench in fleet.benches { _ = try await bench.get() }
        fleet.engine.behaviour = .fails(.down)

        if how == "purge" {
            try await fleet.first.kernel.cache.purge(.url("http://a.test/"))
        } else {
            _ = try await fleet.first.send(Request(.post, "http://a.test/"))
        }
        let sent = fleet.sent
        fleet.engine.behaviour = .works
        try await fleet.until { fleet.first.metric("alone") == 1 }
        fleet.clock.advance(by: .seconds(2))
        let own = try await fleet.first.get().body
        try await fleet.until { try await fleet.second.get().body != "response 1" }

        #expect(own == "response \(sent + 1)")
        await fleet.shutDown()
    }

    /// Requests of two kernels that store, find, validate and replace a response.
    private func course(_ fleet: CacheFleet, _ body: String) async throws {
        for bench in fleet.benches { #expect(try await bench.get().body == body) }
        fleet.clock.advance(by: .seconds(61))
        for bench in fleet.benches.reversed() { #expect(try await bench.get().body == body) }
        try await fleet.first.kernel.cache.purge(.memory)
        fleet.clock.advance(by: .seconds(61))
        for bench in fleet.benches { #expect(try await bench.get().body == body) }
        _ = try await fleet.second.send(Request(.post, "http://a.test/"))
        for bench in fleet.benches { #expect(try await bench.get().body == body) }
    }

    @Test(arguments: [StoreFailure.Kind.down, .late, .invalid], [10, 700_000])
    func `no request fails at whatever command an outage begins`(kind: StoreFailure.Kind, length: Int) async throws {
        let text = String(repeating: "x", count: length)
        var number = 0
        var wasReached = true

        while wasReached {
            let fleet = try CacheFleet { attempt, _ in
                if attempt.method == "POST" { return .respond(204, [:], nil) }
                return attempt.fields["If-None-Match"] == nil
                    ? .respond(200, Self.validated, [text]) : .respond(304, Self.validated, nil)
            }
            let engine = fleet.engine
            engine.look { [number] _ in if engine.commands.count > number { engine.behaviour = .fails(kind) } }
            let isOver = Locked(false)
            let requests = Task {
                defer { isOver.withLock { $0 = true } }
                try await course(fleet, text)
            }
            // A request that waits for another kernel learns of the outage when it asks again.
            try await fleet.until(advancing: .milliseconds(100)) { isOver.withLock { $0 } }
            try await requests.value
            wasReached = engine.commands.count > number
            number += 1
            await fleet.shutDown()
        }

        #expect(number > 20)
    }
}
