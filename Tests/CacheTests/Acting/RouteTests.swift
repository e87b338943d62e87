import Plugboard
import PlugboardCache
import PlugboardCacheOptions
import TestSupport
import Testing

/// What came by one route, or with one trust, is not served by another.
struct RouteTests {
    private static let fresh: Fields = ["Cache-Control": "max-age=60"]

    /// A request with options of its own.
    private static func request(
        _ url: String = "https://a.test/", _ change: (inout RequestOptions) -> Void = { _ in }
    ) -> Request {
        var request = Request(.get, url)
        change(&request.options)
        return request
    }

    /// Requests that differ from one another in the way to the server, or in whom they trust.
    private static var requests: [Request] {
        var named = request()
        named.fields[.host] = "b.test"
        return [
            request(), named, request { $0.unixSocket = "/run/a.sock" }, request { $0.unixSocket = "/run/b.sock" },
            request { $0.connectTo = ["a.test:443": "127.0.0.1:8443"] }, request { $0.proxy = "http://proxy.test:1" },
            request { $0.interface = "tun0" }, request { $0.tls.ca = "/ca.pem" },
            request { $0.tls.pins = ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="] },
            request { $0.tls.certificate = "/me.pem" },
        ]
    }

    private static func numbering() -> MockTransport {
        MockTransport { _, number in .respond(200, fresh, ["\(number)"]) }
    }

    @Test(arguments: Linkage.allCases)
    func `a response is served by the route that it came by, and by no other`(linkage: Linkage) async throws {
        let transport = Self.numbering()
        let bench = try CacheBench(linkage, transport)

        var bodies: [[String]] = []
        for _ in 0..<2 {
            var round: [String] = []
            for request in Self.requests { round.append(try await bench.send(request).body) }
            bodies.append(round)
        }

        let own = (1...Self.requests.count).map { "\($0)" }
        #expect(bodies == [own, own])
        #expect(transport.requests.count == own.count)
    }

    @Test(arguments: Linkage.allCases)
    func `options that change neither route nor trust share the response`(linkage: Linkage) async throws {
        let transport = Self.numbering()
        let bench = try CacheBench(linkage, transport)
        var named = Self.request("http://a.test/") { $0.timeout = .seconds(9) }
        named.fields[.host] = "A.test"

        _ = try await bench.send(Self.request("http://a.test/"))
        let second = try await bench.send(named)
        // Without TLS there is nothing to verify.
        let third = try await bench.send(
            Self.request("http://a.test/") {
                $0.tls.verify = false
                $0.tls.ca = "/ca.pem"
            })

        #expect([second.body, third.body] == ["1", "1"])
    }

    @Test(arguments: Linkage.allCases)
    func `what was not verified is neither stored nor shared, and nothing stored is used for it`(
        linkage: Linkage
    ) async throws {
        let transport = Self.numbering()
        let bench = try CacheBench(linkage, transport)
        let unverified = Self.request { $0.tls.verify = false }

        let bodies = [
            try await bench.send(unverified).body, try await bench.send(unverified).body,
            try await bench.send(Self.request()).body, try await bench.send(unverified).body,
            try await bench.send(Self.request()).body,
        ]

        #expect(bodies == ["1", "2", "3", "4", "3"])
    }

    @Test(arguments: Linkage.allCases)
    func `a request does not wait for one that goes by another route`(linkage: Linkage) async throws {
        let bodies = Self.requests.map { _ in GatedSource(["x"]) }
        let transport = MockTransport { _, number in .source(200, Self.fresh, bodies[number - 1]) }
        let bench = try CacheBench(linkage, transport)

        let running = Self.requests.map { bench.begin($0) }
        // Each of them, while no other has ended.
        try await transport.began.opened(for: running.count)
        for body in bodies { body.open() }
        for handle in running { _ = try await handle.response.body.text() }

        #expect(transport.requests.count == running.count)
    }

    @Test func `the configuration's route counts too, in a file that programs share`() async throws {
        let authority = try CertificateAuthority.shared().certificate
        let folder = try TemporaryFolder("cache")
        let transport = Self.numbering()
        func body(_ change: (inout KernelSettings) -> Void, _ request: Request = Self.request()) async throws -> String
        {
            let bench = try CacheBench(.linked, transport, folder: folder, kernel: change)
            let body = try await bench.send(request).body
            await bench.kernel.shutDown()
            return body
        }

        let bodies = [
            try await body { $0.defaults.tls.verify = false }, try await body { $0.defaults.tls.ca = authority },
            try await body { _ in }, try await body { $0.defaults.tls.ca = authority },
            try await body({ _ in }, Self.request { $0.tls.ca = authority }), try await body { _ in },
        ]

        #expect(bodies == ["1", "2", "3", "2", "2", "3"])
    }

    @Test func `the command that looks a response up goes by the configuration's route`() async throws {
        let authority = try CertificateAuthority.shared().certificate
        let bench = try CacheBench(.linked, Self.numbering()) { $0.defaults.tls.ca = authority }

        try await bench.get("https://a.test/")

        #expect(try await bench.kernel.cache.cachedResponse(for: Request(.get, "https://a.test/")) != nil)
    }

    @Test(arguments: Linkage.allCases)
    func `a revalidation in the background goes by the route of its request, also when it asks twice`(
        linkage: Linkage
    ) async throws {
        let fields: Fields = ["Cache-Control": "max-age=10, stale-while-revalidate=60", "ETag": "\"1\""]
        let transport = MockTransport { _, number in
            switch number {
            case 1: .respond(200, fields, ["old"])
            // Of a response that is not stored: it asks again without conditions.
            case 2: .respond(304, ["Cache-Control": "max-age=10", "ETag": "\"2\""], nil)
            default: .respond(200, ["Cache-Control": "max-age=10", "ETag": "\"2\""], ["new"])
            }
        }
        let refreshed = Gate()
        let watcher = ScriptedPlugin("watcher", priority: 10)
        watcher.events = ["cache.stored"]
        watcher.onEvent = { _, _ in refreshed.admit() }
        let bench = try CacheBench(linkage, transport, beside: [watcher])
        let request = Self.request {
            $0.unixSocket = "/run/a.sock"
            $0.proxy = "http://proxy.test:1"
            $0.tls.ca = "/ca.pem"
            $0.tls.certificate = "/me.pem"
        }
        _ = try await bench.send(request)
        try await refreshed.opened()
        bench.clock.advance(by: .seconds(11))

        let stale = try await bench.send(request)
        try await refreshed.opened(for: 2)

        #expect(stale.body == "old" && transport.requests.count == 3)
        for sent in transport.requests.map(\.options) {
            #expect(sent.unixSocket == "/run/a.sock" && sent.proxy == "http://proxy.test:1")
            #expect(sent.tls.ca == "/ca.pem" && sent.tls.certificate == "/me.pem")
        }
    }
}
