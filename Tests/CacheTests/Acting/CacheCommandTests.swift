import Plugboard
import PlugboardCache
import PlugboardCacheOptions
import TestSupport
import Testing

/// The commands of the cache, by typed names and by JSON.
struct CacheCommandTests {
    @Test(arguments: Linkage.allCases)
    func `stats counts stored responses and how requests were served`(linkage: Linkage) async throws {
        let bench = try CacheBench(linkage, transport)
        for path in ["a", "b", "a"] { try await bench.get("http://a.test/\(path)") }
        _ = try await bench.send(Request(.post, "http://a.test/c"))

        let stats = try await bench.kernel.cache.stats()

        #expect(stats.entries == 2 && stats.memoryEntries == 2 && stats.bytes >= 10)
        #expect(stats.hits == 1 && stats.misses == 2 && stats.bypassed == 1 && stats.stored == 2)
        let parts = ["hit", "miss", "bypass", "stored", "stale", "revalidated"]
        #expect(parts.map { bench.kernel.counters["cache.\($0)"] } == [1, 2, 1, 2, 0, 0])
    }

    @Test(arguments: Linkage.allCases)
    func `list and show describe responses without secrets`(linkage: Linkage) async throws {
        let bench = try CacheBench(linkage, transport)
        for path in ["a", "b", "c"] { try await bench.get("http://a.test/\(path)?key=1") }
        bench.clock.advance(by: .seconds(15))

        let all = try await bench.kernel.cache.list()
        let some = try await bench.kernel.cache.list(.pattern("*/b*"))
        let two = try await bench.kernel.cache.list(limit: 2)
        let shown = try await bench.kernel.cache.show("HTTP://a.test/a?key=1")

        #expect(Set(all.map(\.url)) == Set(["a", "b", "c"].map { "http://a.test/\($0)?key=1" }))
        #expect(some.map(\.url) == ["http://a.test/b?key=1"] && two.count == 2)
        let response = try #require(shown.first)
        #expect(response.status == 200 && response.age == 15 && response.timeToLive == 45 && response.bytes == 5)
        #expect(response.vary == ["accept"])
        #expect(response.fields.contains { $0.name == "X-Path" && $0.value == "/a" })
        // In memory it is there, and in the file it is not.
        #expect(response.fields.allSatisfy { $0.name != "Set-Cookie" || $0.value == "…" })
    }

    @Test(arguments: Linkage.allCases)
    func `purge removes the selected responses only`(linkage: Linkage) async throws {
        let bench = try CacheBench(linkage, transport)
        for path in ["a", "b/1", "b/2", "c"] { try await bench.get("http://a.test/\(path)") }

        let byURL = try await bench.kernel.cache.purge(.url("http://a.test/a"))
        let byPattern = try await bench.kernel.cache.purge(.pattern("http://a.test/b/*"))
        let left = try await bench.kernel.cache.list().map(\.url)
        let rest = try await bench.kernel.cache.purge(.all)

        #expect(byURL == 1 && byPattern == 2 && left == ["http://a.test/c"] && rest == 1)
        #expect(try await bench.kernel.cache.stats().entries == 0)
    }

    @Test(arguments: Linkage.allCases)
    func `purge of a URL removes what the URL would be served`(linkage: Linkage) async throws {
        let bench = try CacheBench(linkage, transport, settings: ["ignore": ["utm_*"]])
        try await bench.get("http://a.test/?utm_source=x")

        let removed = try await bench.kernel.cache.purge(.url("http://a.test/?utm_source=y"))

        #expect(removed == 1)
        #expect(try await bench.kernel.cache.stats().entries == 0)
    }

    @Test func `a purge of memory keeps the file`() async throws {
        let bench = try CacheBench(.loaded, transport)
        try await bench.get()

        try await bench.kernel.cache.purge(.memory)
        let stats = try await bench.kernel.cache.stats()
        let after = try await bench.get()

        #expect(stats.memoryEntries == 0 && stats.entries == 1)
        #expect(after.body == "hello" && bench.events.lines.last == "hit")
    }

    @Test(arguments: Linkage.allCases)
    func `forget removes all responses`(linkage: Linkage) async throws {
        let bench = try CacheBench(linkage, transport)
        try await bench.get()

        try await bench.kernel.forget()

        #expect(try await bench.kernel.cache.stats().entries == 0)
        #expect(try await bench.get().body == "hello" && bench.events.lines.last == "stored")
    }

    @Test(arguments: Linkage.allCases)
    func `a stored response can be read without sending, however old it is`(linkage: Linkage) async throws {
        let transport = transport
        let bench = try CacheBench(linkage, transport)
        let request = Request(.get, "http://a.test/", fields: ["Accept": "text/plain"])
        let before = try await bench.kernel.cache.cachedResponse(for: request)
        _ = try await bench.send(request)
        bench.clock.advance(by: .seconds(1000))

        let stored = try #require(try await bench.kernel.cache.cachedResponse(for: request))
        let other = try await bench.kernel.cache.cachedResponse(
            for: Request(.get, "http://a.test/", fields: ["Accept": "image/png"]))

        #expect(before == nil && other == nil)
        #expect(stored.status == 200 && stored["X-Path"] == "/")
        #expect(try await stored.body.text() == "hello")
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `a large stored response comes in pieces`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { _ in
            ServerResponse(fields: [("Cache-Control", "max-age=60")], body: Script.letters(1_000_000))
        }
        defer { server.stop() }
        let bench = try CacheBench(linkage)
        try await bench.get(server.url())

        let stored = try #require(try await bench.kernel.cache.cachedResponse(for: Request(.get, server.url())))

        #expect(try await stored.body.collect(upTo: .mebibytes(2)).array == Script.letters(1_000_000))
    }

    @Test(arguments: [
        (#"{"url": "x"}"#, "url"), (#"{"patern": "x"}"#, "pattern"), (#"{"what": "some"}"#, "what"),
        (#"{"url": "http://a.test/", "what": "all"}"#, "only one"), (#"{"pattern": [1]}"#, "pattern"),
    ])
    func `invalid arguments are refused with a reason`(arguments: String, expected: String) async throws {
        let bench = try CacheBench(.linked, transport)
        try await bench.get()

        let error = await #expect(throws: PlugboardError.self) {
            try await bench.kernel.command("cache", "purge", arguments)
        }

        #expect(error?.code == "cache.command" && error?.reason.contains(expected) == true)
        #expect(try await bench.kernel.cache.stats().entries == 1)
    }

    private var transport: MockTransport {
        MockTransport { request, _ in
            let path = request.url.dropFirst("http://a.test".count).prefix { $0 != "?" }
            return .respond(
                200,
                [
                    "Cache-Control": "max-age=60", "Vary": "Accept", "X-Path": String(path), "Set-Cookie": "a=b",
                ], ["hello"])
        }
    }
}
