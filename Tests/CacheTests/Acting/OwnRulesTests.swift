import Plugboard
import PlugboardCache
import PlugboardCacheOptions
import PlugboardJSON
import TestSupport
import Testing

/// Rules of programs and configurations in addition to the standard: times to live, versions, keys, modes.
struct OwnRulesTests {
    @Test(arguments: Linkage.allCases)
    func `a request's time to live counts if the server specifies none`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in .respond(200, Fields(), ["\(number)"]) }
        let bench = try CacheBench(linkage, transport)
        var request = Request(.get, "http://a.test/")
        request.cache.timeToLive = .seconds(180)
        _ = try await bench.send(request)
        bench.clock.advance(by: .seconds(179))
        let fresh = try await bench.send(request)
        bench.clock.advance(by: .seconds(2))

        let stale = try await bench.send(request)

        #expect(fresh.body == "1" && stale.body == "2")
    }

    @Test(arguments: Linkage.allCases, [false, true])
    func `the server's freshness takes precedence, unless overrides is set`(linkage: Linkage, overrides: Bool)
        async throws
    {
        let transport = MockTransport { _, number in .respond(200, ["Cache-Control": "max-age=1"], ["\(number)"]) }
        let bench = try CacheBench(linkage, transport)
        var request = Request(.get, "http://a.test/")
        request.cache.timeToLive = .seconds(180)
        request.cache.overrides = overrides
        _ = try await bench.send(request)
        bench.clock.advance(by: .seconds(10))

        let second = try await bench.send(request)

        #expect(second.body == (overrides ? "1" : "2"))
    }

    @Test(arguments: Linkage.allCases)
    func `the longest matching pattern gives the time to live`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in .respond(200, Fields(), ["\(number)"]) }
        let settings: JSONObject = [
            "timeToLives": ["http://a.test/*": "1h", "http://a.test/news/*": "10s", "http://b.test/*": "1d"]
        ]
        let bench = try CacheBench(linkage, transport, settings: settings)
        for path in ["news/1", "other"] { try await bench.get("http://a.test/\(path)") }
        bench.clock.advance(by: .seconds(60))

        let bodies = try await [bench.get("http://a.test/news/1").body, bench.get("http://a.test/other").body]

        #expect(bodies == ["3", "2"])
    }

    @Test(arguments: ["timeToLives", "key"])
    func `invalid settings are refused with a reason`(name: String) {
        let settings: JSONObject =
            name == "key" ? ["key": ["header:x"]] : ["timeToLives": ["http://a.test/*": "soon"]]

        let error = #expect(throws: PlugboardError.self) { try CacheBench(.linked, settings: settings) }

        #expect(error?.reason.contains(name) == true)
    }

    @Test(arguments: Linkage.allCases)
    func `a response of another version is not used`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in .respond(200, ["Cache-Control": "max-age=60"], ["\(number)"]) }
        let bench = try CacheBench(linkage, transport, settings: ["version": "a"])
        var request = Request(.get, "http://a.test/")
        let first = try await bench.send(request)
        request.cache.version = "b"
        let other = try await bench.send(request)
        let same = try await bench.send(request)

        #expect([first.body, other.body, same.body] == ["1", "2", "2"])
    }

    @Test func `a response of another program version is not used`() async throws {
        let transport = MockTransport { _, number in .respond(200, ["Cache-Control": "max-age=60"], ["\(number)"]) }
        let folder = try TemporaryFolder("cache")
        var bodies: [String] = []
        for version in ["1", "1", "2"] {
            let bench = try CacheBench(.loaded, transport, settings: ["appVersion": .string(version)], folder: folder)
            bodies.append(try await bench.get().body)
            await bench.kernel.shutDown()
        }

        #expect(bodies == ["1", "1", "2"])
    }

    @Test(arguments: Linkage.allCases)
    func `ignored parameters and chosen fields make the key`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in .respond(200, ["Cache-Control": "max-age=60"], ["\(number)"]) }
        let bench = try CacheBench(linkage, transport, settings: ["ignore": ["utm_*"]])
        let first = try await bench.get("http://a.test/?id=1&utm_source=x").body
        let same = try await bench.get("http://a.test/?id=1").body
        var request = Request(.get, "http://a.test/?id=1", fields: ["X-Tenant": "t"])
        request.cache.key = [.field("X-Tenant")]

        let bodies = try await [bench.send(request).body, bench.send(request).body]

        #expect(first == "1" && same == "1" && bodies == ["2", "2"])
    }

    @Test(arguments: Linkage.allCases, [[], ["field:X-Tenant"]])
    func `an unsafe request invalidates what its URL would be served, whatever the key leaves out`(
        linkage: Linkage, key: [String]
    ) async throws {
        let transport = MockTransport { _, number in .respond(200, ["Cache-Control": "max-age=60"], ["\(number)"]) }
        let settings: JSONObject = ["ignore": ["utm_*"], "key": .array(key.map { .string($0) })]
        let bench = try CacheBench(linkage, transport, settings: settings)
        var bodies: [String] = []
        for url in ["http://a.test/?id=1", "http://a.test/?id=1&utm_source=y"] {
            bodies.append(try await bench.get("http://a.test/?id=1&utm_source=x").body)
            _ = try await bench.send(Request(.post, url))
        }

        bodies.append(try await bench.get("http://a.test/?id=1").body)

        #expect(bodies == ["1", "3", "5"])
    }

    @Test(arguments: Linkage.allCases)
    func `searches by POST are stored by their bodies`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { request in
            ServerResponse(fields: [("Cache-Control", "max-age=60")], body: "found \(request.text)")
        }
        defer { server.stop() }
        let bench = try CacheBench(linkage)
        func search(_ text: String) async throws -> String {
            var request = Request(.post, server.url("/search"), body: .text(text))
            request.cache.key = [.body]
            return try await bench.send(request).body
        }

        let bodies = try await [search("a"), search("b"), search("a"), search("b")]

        #expect(bodies == ["found a", "found b", "found a", "found b"])
        #expect(server.requests.map(\.text) == ["a", "b"])
    }

    @Test(arguments: Linkage.allCases)
    func `a search whose body is too large for the key is forwarded whole`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding {
            ServerResponse(fields: [("Cache-Control", "max-age=60")], body: $0.body)
        }
        defer { server.stop() }
        let bench = try CacheBench(linkage, settings: ["keyBody": "10B"])
        var request = Request(.post, server.url(), body: .text("longer than ten"))
        request.cache.key = [.body]

        let bodies = try await [bench.send(request).body, bench.send(request).body]

        #expect(bodies == ["longer than ten", "longer than ten"] && server.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a GET whose body is not in the key is not stored`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in .respond(200, ["Cache-Control": "max-age=60"], ["\(number)"]) }
        let bench = try CacheBench(linkage, transport)
        let request = Request(.get, "http://a.test/", body: .text("query"))

        let bodies = try await [bench.send(request).body, bench.send(request).body, bench.get().body]

        #expect(bodies == ["1", "2", "3"])
    }

    @Test(arguments: Linkage.allCases, CacheMode.allCases)
    func `modes decide how stored responses are used`(linkage: Linkage, mode: CacheMode) async throws {
        let transport = MockTransport { request, number in
            request.fields["If-None-Match"] == nil
                ? .respond(200, ["Cache-Control": "max-age=10", "ETag": "\"1\""], ["\(number)"])
                : .respond(304, Fields(), nil)
        }
        let bench = try CacheBench(linkage, transport)
        try await bench.get()
        var request = Request(.get, "http://a.test/")
        request.cache.mode = mode

        let fresh = try await bench.send(request)
        bench.clock.advance(by: .seconds(20))
        let stale = try await bench.send(request)

        switch mode {
        case .default: #expect(fresh.body == "1" && stale.body == "1" && transport.requests.count == 2)
        case .noStore, .reload: #expect(fresh.body == "2" && stale.body == "3")
        case .noCache: #expect(fresh.body == "1" && stale.body == "1" && transport.requests.count == 3)
        case .forceCache, .onlyIfCached:
            #expect(fresh.body == "1" && stale.body == "1" && transport.requests.count == 1)
        }
    }

    @Test(arguments: Linkage.allCases)
    func `a response to a URL with a user is not stored`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in .respond(200, ["Cache-Control": "max-age=60"], ["\(number)"]) }
        let bench = try CacheBench(linkage, transport)

        let bodies = try await ["a", "b"].asyncMap { try await bench.get("http://\($0):x@a.test/").body }

        #expect(bodies == ["1", "2"] && bench.events.lines == ["bypass", "bypass"])
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
