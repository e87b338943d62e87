import Plugboard
import PlugboardCache
import PlugboardStore
import TestSupport
import Testing

/// Caches that share their responses by a store, as several machines do.
struct CacheFleetTests {
    @Test(arguments: Linkage.allCases)
    func `a response that one kernel has stored is a hit of another, and then near`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage)

        let first = try await fleet.first.get()
        let second = try await fleet.second.get()
        let asked = fleet.engine.commands.count
        let near = try await fleet.second.get()

        #expect([first.body, second.body, near.body] == ["response 1", "response 1", "response 1"])
        #expect(fleet.sent == 1 && fleet.second.metric("shared") == 1)
        #expect(fleet.second.events.lines == ["hit", "hit"])
        #expect(fleet.engine.commands.count == asked)
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `keys of the store are hashes and have the cache's prefix`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage, settings: ["key": ["field:Authorization"]])

        _ = try await fleet.first.get("http://a.test/secret?token=secret", ["Authorization": "secret"])
        try await fleet.first.stored()

        #expect(fleet.engine.keys.count > 3)
        #expect(fleet.engine.keys.allSatisfy { $0.hasPrefix("cache/1/") && !$0.contains("secret") })
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `without a store the process caches in its memory, and says so`(linkage: Linkage) async throws {
        let log = Record()
        let bench = try CacheBench(
            linkage, MockTransport { _, _ in .respond(200, CacheFleet.fresh, ["a"]) }, settings: ["persistence": "shared"],
            log: KernelLog(level: .info) { _, _, text in log.add(text) })

        _ = try await bench.get()
        _ = try await bench.get()

        #expect(bench.events.lines.last == "hit")
        #expect(log.lines.contains { $0.contains("needs a plugin that provides plugboard.store/1") })
        await bench.kernel.shutDown()
    }
}
