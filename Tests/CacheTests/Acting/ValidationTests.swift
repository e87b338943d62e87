import Plugboard
import PlugboardCache
import PlugboardCacheOptions
import TestSupport
import Testing

/// Stored responses are reused after the server has confirmed them (RFC 9111 §4.3), and invalidated by changes (§4.4).
struct ValidationTests {
    @Test(arguments: Linkage.allCases)
    func `a 304 serves the stored body with the updated fields`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { request in
            request["If-None-Match"] == "\"1\""
                ? ServerResponse(
                    status: 304, fields: [("ETag", "\"1\""), ("Cache-Control", "max-age=60"), ("X-New", "yes")])
                : ServerResponse(
                    fields: [("ETag", "\"1\""), ("Cache-Control", "max-age=10"), ("X-Old", "yes")], body: "hello")
        }
        defer { server.stop() }
        let bench = try CacheBench(linkage)
        try await bench.get(server.url())
        bench.clock.advance(by: .seconds(11))

        let second = try await bench.get(server.url())
        let third = try await bench.get(server.url())

        #expect(second.head.status == 200 && second.body == "hello" && third.body == "hello")
        #expect(second.head.fields["X-New"] == "yes" && third.head.fields["X-New"] == "yes")
        #expect(server.requests.count == 2)
        #expect(bench.events.lines == ["miss", "stored", "revalidated", "hit"])
    }

    @Test(arguments: [("\"a\"", "\"b\""), ("\"a\"", "W/\"b\""), ("W/\"a\"", "W/\"b\"")])
    func `a 304 with another tag updates nothing, and the server is asked again without conditions`(
        first: String, other: String
    ) async throws {
        let transport = MockTransport { request, number in
            if request.fields["If-None-Match"] == first { return .respond(304, ["ETag": other], nil) }
            return .respond(
                200, ["ETag": number == 1 ? first : other, "Cache-Control": "max-age=10"], [number == 1 ? "old" : "new"]
            )
        }
        let bench = try CacheBench(.linked, transport)
        try await bench.get()
        bench.clock.advance(by: .seconds(11))

        let second = try await bench.get()
        let third = try await bench.get()

        #expect(second.body == "new" && second.head.fields["ETag"] == other)
        #expect(third.body == "new" && transport.requests.count == 3)
        #expect(transport.requests.last?.fields["If-None-Match"] == nil)
    }

    @Test func `a 304 does not change the fields that describe the stored bytes`() async throws {
        let described: Fields = ["Content-Type": "text/plain", "Content-Digest": "sha-256=:AAAA:"]
        let transport = MockTransport { request, _ in
            if request.fields["If-None-Match"] != nil {
                return .respond(
                    304,
                    [
                        "ETag": "\"1\"", "Content-Encoding": "gzip", "Content-Type": "text/html", "Content-Length": "9",
                        "Content-Digest": "sha-256=:BBBB:", "Content-MD5": "CCCC", "Content-Language": "de",
                    ], nil)
            }
            var fields = described
            fields["ETag"] = "\"1\""
            fields["Cache-Control"] = "max-age=10"
            return .respond(200, fields, ["hello"])
        }
        let bench = try CacheBench(.linked, transport)
        try await bench.get()
        bench.clock.advance(by: .seconds(11))

        let second = try await bench.get()

        #expect(second.body == "hello" && second.head.fields["Content-Language"] == "de")
        #expect(second.head.fields["Content-Encoding"] == nil && second.head.fields["Content-Length"] != "9")
        for field in described { #expect(second.head.fields[FieldName(field.name)] == field.value) }
    }

    @Test func `a 304 serves the stored body even if it was evicted meanwhile`() async throws {
        let transport = MockTransport { request, number in
            if request.fields["If-None-Match"] != nil { return .respond(304, ["ETag": "\"1\""]) }
            let fields: Fields = ["ETag": "\"1\"", "Cache-Control": "max-age=10"]
            return .respond(200, fields, [String(repeating: "\(number % 10)", count: 50_000)])
        }
        let inner = ScriptedPlugin("inner", priority: 700)
        let (asked, goOn) = (Gate(), Gate())
        inner.onRequest = { exchange in
            guard exchange.request["If-None-Match"] != nil, exchange.visit == .first else { return .next }
            asked.admit()
            return .wait {
                try? await goOn.opened()
                return { _ in .next }
            }
        }
        let bench = try CacheBench(.linked, transport, settings: ["memory": "256KiB"], beside: [inner])
        try await bench.get("http://a.test/first")
        bench.clock.advance(by: .seconds(11))

        async let second = bench.get("http://a.test/first")
        try await asked.opened()
        for number in 0..<10 { try await bench.get("http://a.test/\(number)") }
        goOn.admit()

        #expect(try await second.body == String(repeating: "1", count: 50_000))
        #expect(try await bench.kernel.cache.stats().evicted > 0)
    }

    @Test(arguments: Linkage.allCases)
    func `a response other than 304 replaces the stored one`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in
            .respond(200, ["ETag": "\"\(number)\"", "Cache-Control": "max-age=10"], ["body \(number)"])
        }
        let bench = try CacheBench(linkage, transport)
        try await bench.get()
        bench.clock.advance(by: .seconds(11))

        let second = try await bench.get()
        let third = try await bench.get()

        #expect(second.body == "body 2" && third.body == "body 2")
        #expect(transport.requests.last?.fields["If-None-Match"] == "\"1\"")
        #expect(try await bench.kernel.cache.stats().entries == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `a 304 to the caller's own condition passes to the caller`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in .respond(200, ["ETag": "\"1\"", "Cache-Control": "max-age=60"], ["x"]) }
        let bench = try CacheBench(linkage, transport)
        try await bench.get()

        let response = try await bench.get("http://a.test/", ["If-None-Match": "\"1\""])

        #expect(response.head.status == 304 && response.body == "")
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: Linkage.allCases, ["POST", "PUT", "DELETE", "PATCH", "FROB"])
    func `a successful unsafe method invalidates its URL`(linkage: Linkage, method: String) async throws {
        let transport = MockTransport { request, number in
            .respond(200, ["Cache-Control": request.method == .get ? "max-age=60" : "no-store"], ["\(number)"])
        }
        let bench = try CacheBench(linkage, transport)
        try await bench.get()

        _ = try await bench.send(Request(Method(method), "http://A.test:80/", body: .text("x")))
        let after = try await bench.get()

        #expect(after.body == "3")
        #expect(bench.events.lines == ["miss", "stored", "bypass", "miss", "stored"])
    }

    @Test(arguments: Linkage.allCases)
    func `a failed unsafe method invalidates nothing`(linkage: Linkage) async throws {
        let transport = MockTransport { request, _ in
            .respond(request.method == .get ? 200 : 500, ["Cache-Control": "max-age=60"], ["x"])
        }
        let bench = try CacheBench(linkage, transport)
        try await bench.get()

        _ = try await bench.send(Request(.post, "http://a.test/"))
        try await bench.get()

        #expect(transport.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `the URLs in Location and Content-Location are invalidated too`(linkage: Linkage) async throws {
        let transport = MockTransport { request, _ in
            request.method == .get
                ? .respond(200, ["Cache-Control": "max-age=60"], ["x"])
                : .respond(201, ["Location": "/new", "Content-Location": "http://a.test/other"], [])
        }
        let bench = try CacheBench(linkage, transport)
        for path in ["new", "other", "third"] { try await bench.get("http://a.test/\(path)") }

        _ = try await bench.send(Request(.post, "http://a.test/all"))
        for path in ["new", "other", "third"] { try await bench.get("http://a.test/\(path)") }

        #expect(transport.requests.map(\.url).suffix(2) == ["http://a.test/new", "http://a.test/other"])
    }

    @Test(arguments: Linkage.allCases)
    func `HEAD updates the stored response of GET (RFC 9111 §4.3.5)`(linkage: Linkage) async throws {
        let transport = MockTransport { request, _ in
            .respond(
                200, ["ETag": "\"1\"", "Cache-Control": "max-age=10", "X-By": "\(request.method)"],
                request.method == .head ? nil : ["x"])
        }
        let bench = try CacheBench(linkage, transport)
        try await bench.get()
        bench.clock.advance(by: .seconds(11))

        _ = try await bench.send(Request(.head, "http://a.test/"))
        let after = try await bench.get()

        #expect(after.head.fields["X-By"] == "HEAD" && after.body == "x")
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `plugins further out do not see the conditions of the cache`(linkage: Linkage) async throws {
        let seen = Record()
        let outside = ScriptedPlugin("outside", priority: 500)
        outside.onResponse = { exchange in
            seen.add(exchange.request["If-None-Match"] ?? "none")
            return .next
        }
        let transport = MockTransport { request, _ in
            request.fields["If-None-Match"] == nil
                ? .respond(200, ["ETag": "\"1\"", "Cache-Control": "max-age=10"], ["x"]) : .respond(304, Fields(), nil)
        }
        let bench = try CacheBench(linkage, transport, beside: [outside])
        try await bench.get()
        bench.clock.advance(by: .seconds(11))

        try await bench.get()

        #expect(seen.lines == ["none", "none"])
    }
}
