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
    func `keys of the store are hashes, and secret fields are not stored`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage, settings: ["key": ["field:Authorization"]]) { _, _ in
            .respond(200, ["Cache-Control": "max-age=60", "Set-Cookie": "id=secret", "X-Kept": "kept"], ["a"])
        }

        _ = try await fleet.first.get("http://a.test/secret?token=secret", ["Authorization": "secret"])
        try await fleet.until { !fleet.engine.values("cache/1/head/").isEmpty }
        let heads = fleet.engine.values("cache/1/head/").values.map(\.text)

        #expect(fleet.engine.keys.count > 3)
        #expect(fleet.engine.keys.allSatisfy { $0.hasPrefix("cache/1/") && !$0.contains("secret") })
        #expect(heads.allSatisfy { $0.contains("kept") && !$0.contains("id=secret") })
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `without a store the process caches in its memory, and says so`(linkage: Linkage) async throws {
        let log = Record()
        let bench = try CacheBench(
            linkage, MockTransport { _, _ in .respond(200, CacheFleet.fresh, ["a"]) },
            settings: ["persistence": "shared"], log: KernelLog(level: .info) { _, _, text in log.add(text) })

        _ = try await bench.get()
        _ = try await bench.get()

        #expect(bench.events.lines.last == "hit")
        #expect(log.lines.contains { $0.contains("needs a plugin that provides plugboard.store/1") })
        await bench.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `caches for several users share nothing with those for one user`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage, count: 1)
        let other = try CacheBench(
            linkage, fleet.transport, settings: ["persistence": "shared", "shared": true], also: [fleet.engine.entry],
            clock: fleet.clock)

        _ = try await fleet.first.get()
        let body = try await other.get().body

        #expect(body == "response 2")
        await other.kernel.shutDown()
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a response is shared only for the route by which it came`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage)
        var request = Request(.get, "http://a.test/")
        request.options.connectTo = ["a.test:80": "b.test:80"]

        _ = try await fleet.first.send(request)
        let other = try await fleet.second.get().body
        let same = try await fleet.second.send(request).body

        #expect(other == "response 2" && same == "response 1")
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `variants are shared beside each other`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage) { attempt, _ in
            let language = attempt.fields["Accept-Language"] ?? ""
            return .respond(200, ["Cache-Control": "max-age=60", "Vary": "Accept-Language"], [language])
        }

        _ = try await fleet.first.get("http://a.test/", ["Accept-Language": "en"])
        _ = try await fleet.second.get("http://a.test/", ["Accept-Language": "de"])
        let english = try await fleet.second.get("http://a.test/", ["Accept-Language": "en"]).body
        let german = try await fleet.first.get("http://a.test/", ["Accept-Language": "de"]).body

        #expect([english, german] == ["en", "de"] && fleet.sent == 2)
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `what a kernel confirms is fresh for the other one`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage) { attempt, number in
            attempt.fields["If-None-Match"] == nil
                ? .respond(200, ["Cache-Control": "max-age=60", "ETag": "\"a\""], ["response \(number)"])
                : .respond(304, ["Cache-Control": "max-age=60", "ETag": "\"a\""], nil)
        }

        _ = try await fleet.first.get()
        _ = try await fleet.second.get()
        fleet.clock.advance(by: .seconds(61))
        let confirmed = try await fleet.first.get().body
        try await fleet.first.stored()
        let second = try await fleet.second.get().body

        #expect([confirmed, second] == ["response 1", "response 1"] && fleet.sent == 2)
        #expect(fleet.first.events.lines.last == "revalidated" && fleet.second.events.lines.last == "hit")
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `of the kernels that serve a stale response one validates it`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage) { _, number in
            let fields: Fields = ["Cache-Control": "max-age=60, stale-while-revalidate=600", "ETag": "\"a\""]
            return number == 1 ? .respond(200, fields, ["old"]) : .silence
        }
        for bench in fleet.benches { _ = try await bench.get() }
        // A command that waits for its reply would be late when the time has passed.
        try await fleet.first.stored()
        try await fleet.engine.settled()

        fleet.clock.advance(by: .seconds(61))
        for bench in fleet.benches { #expect(try await bench.get().body == "old") }
        try await fleet.until { fleet.engine.commands.count { $0.isLock } >= 3 && fleet.sent > 1 }

        #expect(fleet.benches.map { $0.events.lines.last } == ["stale", "stale"])
        #expect(fleet.sent == 2)
    }

    @Test(arguments: Linkage.allCases, ["url", "pattern", "all"])
    func `a purge reaches what others have near`(linkage: Linkage, what: String) async throws {
        let fleet = try CacheFleet(linkage)
        for bench in fleet.benches { _ = try await bench.get() }
        _ = try await fleet.second.get("http://b.test/")
        try await fleet.second.stored("http://b.test/")

        switch what {
        case "url": try await fleet.first.kernel.cache.purge(.url("http://a.test/"))
        case "pattern": try await fleet.first.kernel.cache.purge(.pattern("*a.test*"))
        default: try await fleet.first.kernel.cache.purge(.all)
        }
        try await fleet.until { try await fleet.second.get().body != "response 1" }

        let other = try await fleet.first.get("http://b.test/").body
        #expect(try await fleet.first.get().body == "response 3")
        #expect((other == "response 2") == (what != "all"))
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a request that changes a URL makes all kernels ask the server again`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage)
        for bench in fleet.benches { _ = try await bench.get() }

        _ = try await fleet.first.send(Request(.post, "http://a.test/"))
        try await fleet.until { try await fleet.second.get().body == "response 3" }

        #expect(try await fleet.first.get().body == "response 3" && fleet.sent == 3)
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a response whose key is a shorter URL is purged by its whole URL`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage, settings: ["ignore": ["utm_*"]])
        let url = "http://a.test/?utm_source=x"
        for bench in fleet.benches { _ = try await bench.get(url) }

        _ = try await fleet.first.send(Request(.post, url))
        try await fleet.until { try await fleet.second.get("http://a.test/").body == "response 3" }

        #expect(fleet.sent == 3)
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `after the loss of a connection nothing near is used unasked`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage)
        for bench in fleet.benches { _ = try await bench.get() }
        // As a purge that a kernel is not told of.
        for name in fleet.engine.values("cache/1/purged/").keys { fleet.engine.write(name, Bytes("another!")) }
        let before = try await fleet.second.get().body

        fleet.engine.loseConnection()
        try await fleet.until { try await fleet.second.get().body == "response 2" }

        #expect(before == "response 1")
        await fleet.shutDown()
    }
}

extension StoreCommand {
    fileprivate var isLock: Bool { if case .takeLock = self { true } else { false } }
}
