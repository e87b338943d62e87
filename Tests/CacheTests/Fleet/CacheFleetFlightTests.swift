import Plugboard
import PlugboardCache
import PlugboardStore
import TestSupport
import Testing

/// Identical requests of several kernels at the same time.
struct CacheFleetFlightTests {
    /// Sends requests by each kernel, and passes on when all of them wait.
    private func bodies(_ fleet: CacheFleet, each count: Int, _ then: @Sendable () -> Void) async throws -> [String] {
        try await withThrowingTaskGroup { group in
            for bench in fleet.benches {
                for _ in 0..<count { group.addTask { try await bench.get().body } }
            }
            try await fleet.transport.began.opened()
            for bench in fleet.benches { try await bench.settled(count) }
            then()
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(arguments: Linkage.allCases)
    func `a hundred identical requests of five kernels make one attempt`(linkage: Linkage) async throws {
        let body = GatedSource(["hello"])
        let fleet = try CacheFleet(linkage, count: 5) { _, _ in .source(200, CacheFleet.fresh, body) }

        let bodies = try await bodies(fleet, each: 20) { body.open() }

        #expect(bodies == Array(repeating: "hello", count: 100) && fleet.sent == 1)
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a long body of one attempt is that of all kernels`(linkage: Linkage) async throws {
        let text = String(repeating: "0123456789", count: 100_000)
        let body = GatedSource([text])
        let fleet = try CacheFleet(linkage, count: 3) { _, _ in .source(200, CacheFleet.fresh, body) }

        let bodies = try await bodies(fleet, each: 3) { body.open() }

        #expect(bodies == Array(repeating: text, count: 9) && fleet.sent == 1)
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `if the first response is not stored, all kernels send at once`(linkage: Linkage) async throws {
        let body = GatedSource(["x"])
        let fleet = try CacheFleet(linkage) { _, number in
            let fields: Fields = ["Cache-Control": "no-store"]
            return number == 1 ? .source(200, fields, body) : .respond(200, fields)
        }

        let bodies = try await bodies(fleet, each: 3) { body.open() }

        #expect(bodies.count == 6 && fleet.sent == 6)
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `if the first request fails, another kernel sends one`(linkage: Linkage) async throws {
        let broken = GatedSource(["par"], ending: .broken(PlugboardError(.bodyCut, "cut")))
        let fleet = try CacheFleet(linkage) { _, number in
            number == 1 ? .source(200, CacheFleet.fresh, broken) : .respond(200, CacheFleet.fresh, ["whole"])
        }
        let first = Task { try await fleet.first.get().body }
        try await fleet.transport.began.opened()
        let second = Task { try await fleet.second.get().body }
        try await fleet.until { fleet.engine.commands.contains { $0.readsFlight } }

        broken.open()
        let failed = await first.result

        #expect(throws: PlugboardError.self) { try failed.get() }
        #expect(try await second.value == "whole")
        #expect(fleet.sent == 2)
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a kernel that dies while it leads costs one more request`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage, count: 3) { _, number in
            number == 1 ? .silence : .respond(200, CacheFleet.fresh, ["second"])
        }
        let dead = fleet.first.kernel.begin(Request(.get, "http://a.test/"))
        try await fleet.transport.began.opened()
        fleet.engine.kill(0)

        let bodies = Record()
        for bench in fleet.benches[1...] { Task { bodies.add((try? await bench.get().body) ?? "failed") } }
        try await fleet.until { fleet.engine.commands.count { $0.readsFlight } >= 2 }
        let since = fleet.clock.now
        try await fleet.until(advancing: .milliseconds(100)) { bodies.lines.count == 2 }

        #expect(bodies.lines == ["second", "second"] && fleet.sent == 2)
        #expect(fleet.clock.now - since < 5_000_000_000)
        dead.cancel()
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a waiting request goes itself when its time to wait is over`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage, settings: ["singleFlightLimit": "2s"]) { _, number in
            number == 1 ? .silence : .respond(200, CacheFleet.fresh, ["second"])
        }
        let first = fleet.first.kernel.begin(Request(.get, "http://a.test/"))
        try await fleet.transport.began.opened()
        let second = Task { try await fleet.second.get().body }
        try await fleet.until { fleet.engine.commands.contains { $0.readsFlight } }
        let since = fleet.clock.now

        try await fleet.until(advancing: .milliseconds(100)) { fleet.sent == 2 }

        #expect(try await second.value == "second")
        #expect(fleet.clock.now - since >= 2_000_000_000)
        first.cancel()
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a request that has waited long asks once how the flight of another kernel ended`(linkage: Linkage)
        async throws
    {
        let body = GatedSource(["hello"])
        let fleet = try CacheFleet(linkage) { _, _ in .source(200, CacheFleet.fresh, body) }
        let first = Task { try await fleet.first.get().body }
        try await fleet.transport.began.opened()
        let second = Task { try await fleet.second.get().body }
        try await fleet.until(advancing: .milliseconds(100)) { fleet.engine.commands.count { $0.readsFlight } >= 3 }

        body.open()
        let bodies = try await [first.value, second.value]
        try await fleet.engine.settled()

        #expect(bodies == ["hello", "hello"] && fleet.sent == 1)
        #expect(fleet.engine.commands.count { $0.readsEnding } == 1)
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a request that is cancelled while it waits for the fleet leaves its place to others`(linkage: Linkage)
        async throws
    {
        let body = GatedSource(["hello"])
        let fleet = try CacheFleet(linkage) { _, _ in .source(200, CacheFleet.fresh, body) }
        let first = Task { try await fleet.first.get().body }
        try await fleet.transport.began.opened()
        let cancelled = fleet.second.kernel.begin(Request(.get, "http://a.test/"))
        try await fleet.until { fleet.engine.commands.contains { $0.readsFlight } }

        cancelled.cancel()
        _ = try? await cancelled.response
        let other = Task { try await fleet.second.get().body }
        try await fleet.until { fleet.engine.commands.count { $0.readsFlight } >= 2 }
        body.open()

        #expect(try await [first.value, other.value] == ["hello", "hello"] && fleet.sent == 1)
        await fleet.shutDown()
    }
}

extension StoreCommand {
    /// Whether a process asks how another one's flight ends.
    fileprivate var readsFlight: Bool {
        if case .get(let keys, .some) = self { keys[0].hasPrefix("cache/1/flight/") } else { false }
    }

    /// Whether a process that was told of a flight's end asks for it.
    fileprivate var readsEnding: Bool {
        if case .get(let keys, nil) = self { keys[0].hasPrefix("cache/1/flight/") } else { false }
    }
}
