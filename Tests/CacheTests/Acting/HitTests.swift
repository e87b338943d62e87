import Plugboard
import PlugboardCache
import PlugboardCacheOptions
import TestSupport
import Testing

/// Fresh stored responses are served (RFC 9111 §4).
struct HitTests {
    @Test(arguments: Linkage.allCases)
    func `the second response comes from the cache, with its age`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in
            .respond(200, ["Cache-Control": "max-age=60", "Content-Type": "text/plain", "X-Own": "1"], ["hel", "lo"])
        }
        let bench = try CacheBench(linkage, transport)
        let first = try await bench.get()
        bench.clock.advance(by: .seconds(7))

        let second = try await bench.get()

        #expect(transport.requests.count == 1)
        #expect(first.body == "hello" && second.body == "hello")
        #expect(second.head.fields["Age"] == "7")
        #expect(second.head.fields["Content-Type"] == "text/plain" && second.head.fields["X-Own"] == "1")
        #expect(bench.events.lines == ["miss", "stored", "hit"])
    }

    @Test(arguments: Linkage.allCases)
    func `a real server gets one request`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { _ in
            ServerResponse(fields: [("Cache-Control", "max-age=60")], body: Script.letters(300_000))
        }
        defer { server.stop() }
        let bench = try CacheBench(linkage)
        let first = try await bench.get(server.url())

        let second = try await bench.get(server.url("/#part"))

        #expect(server.requests.count == 1)
        #expect(first.body == second.body && first.body.utf8.count == 300_000)
    }

    @Test(arguments: Linkage.allCases)
    func `a stale response is fetched again`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in
            .respond(200, ["Cache-Control": "max-age=60"], ["\(number)"])
        }
        let bench = try CacheBench(linkage, transport)
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(61))

        let second = try await bench.get()

        #expect(second.body == "2" && second.head.fields["Age"] == nil)
    }

    @Test(arguments: Linkage.allCases)
    func `HEAD is served from a stored GET response, without its body`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in .respond(200, ["Cache-Control": "max-age=60", "X-Own": "1"], ["hello"])
        }
        let bench = try CacheBench(linkage, transport)
        _ = try await bench.get()

        let head = try await bench.send(Request(.head, "http://a.test/"))

        #expect(transport.requests.count == 1)
        #expect(head.head.fields["X-Own"] == "1" && head.body == "")
    }

    @Test(arguments: Linkage.allCases)
    func `an empty body is stored`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in .respond(200, ["Cache-Control": "max-age=60"], []) }
        let bench = try CacheBench(linkage, transport)
        _ = try await bench.get()

        let second = try await bench.get()

        #expect(transport.requests.count == 1 && second.body == "")
    }

    @Test(arguments: Linkage.allCases)
    func `a response without a body is stored`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in .respond(204, ["Cache-Control": "max-age=60"], nil) }
        let bench = try CacheBench(linkage, transport)
        _ = try await bench.get()

        let second = try await bench.get()

        #expect(transport.requests.count == 1 && second.head.status == 204)
    }

    @Test(arguments: Linkage.allCases)
    func `each variant is found by its selecting fields (RFC 9111 §4.1)`(linkage: Linkage) async throws {
        let transport = MockTransport { request, _ in
            .respond(
                200, ["Cache-Control": "max-age=60", "Vary": "Accept-Language"],
                [request.fields["Accept-Language"] ?? "none"])
        }
        let bench = try CacheBench(linkage, transport)
        for language in ["de", "en"] { try await bench.get("http://a.test/", ["Accept-Language": language]) }
        _ = try await bench.get()

        let again = try await [
            bench.get("http://a.test/", ["Accept-Language": "de"]).body,
            bench.get("http://a.test/", ["accept-language": "en"]).body, bench.get().body,
        ]

        #expect(again == ["de", "en", "none"])
        #expect(transport.requests.count == 3)
    }

    @Test(arguments: Linkage.allCases)
    func `a no-store response is not stored, and a no-store request stores nothing`(linkage: Linkage) async throws {
        let transport = MockTransport { request, _ in
            .respond(200, ["Cache-Control": request.url.hasSuffix("/no") ? "no-store" : "max-age=60"], ["x"])
        }
        let bench = try CacheBench(linkage, transport)

        for _ in 0..<2 { try await bench.get("http://a.test/no") }
        for _ in 0..<2 { try await bench.get("http://a.test/", ["Cache-Control": "no-store"]) }

        #expect(transport.requests.count == 4)
        #expect(!bench.events.lines.contains("stored"))
    }

    @Test(arguments: Linkage.allCases)
    func `a hit is not seen by plugins further in, and is seen by those further out`(
        linkage: Linkage
    ) async throws {
        let seen = Record()
        let plugins = [("outside", 500), ("inside", 700)].map { id, priority in
            let plugin = ScriptedPlugin(id, priority: priority)
            plugin.onResponse = { _ in
                seen.add(id)
                return .next
            }
            return plugin
        }
        let transport = MockTransport { _, _ in .respond(200, ["Cache-Control": "max-age=60"], ["x"]) }
        let bench = try CacheBench(linkage, transport, beside: plugins)

        for _ in 0..<2 { try await bench.get() }

        #expect(seen.lines == ["inside", "outside", "outside"])
    }

    @Test(arguments: Linkage.allCases)
    func `Cache-Status describes how the cache took part (RFC 9211)`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in .respond(200, ["Cache-Control": "max-age=60"], ["x"]) }
        let bench = try CacheBench(linkage, transport)
        let quiet = try CacheBench(linkage, transport, settings: ["cacheStatus": false])

        let first = try await bench.get().head.fields["Cache-Status"] ?? ""
        let second = try await bench.get().head.fields["Cache-Status"] ?? ""
        let silent = try await quiet.get().head.fields["Cache-Status"]

        #expect(first.contains("plugboard") && first.contains("fwd=") && first.contains("stored"))
        #expect(second.contains("plugboard; hit") && second.contains("ttl=60"))
        #expect(silent == nil)
    }
}
