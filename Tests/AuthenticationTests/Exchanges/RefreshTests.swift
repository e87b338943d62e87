import Plugboard
import PlugboardAuthenticationOptions
import PlugboardEventLoop
import TestSupport
import Testing

/// One refresh for all waiting exchanges.
struct RefreshTests {
    @Test(arguments: Linkage.allCases)
    func `fifty rejected exchanges share one refresh and are sent again`(linkage: Linkage) async throws {
        let arrived = Gate()
        let rejected = Gate()
        let site = try Site { credential in
            // Waits until all requests have come, so that all are rejected.
            guard credential == "Bearer t1" else { return }
            arrived.admit()
            try arrived.wait(for: arrived.admitted == 1 ? 1 : 51)
        } response: { number in
            if number == 2 { try rejected.wait(for: 50) }
            return ServerResponse(body: Setup.token("t\(number)"))
        }
        defer { site.stop() }
        let kernel = try site.kernel(linkage, beside: [rejections(rejected)])
        _ = try await kernel.send(Request(.get, site.api.url())).body.text()
        site.accept("t2")

        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await kernel.send(Request(.post, site.api.url(), body: .text("\(number)"))).body.text()
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }

        #expect(texts == Set((0..<50).map { "Bearer t2 \($0)" }))
        #expect(site.endpoint.requests.count == 2)
        #expect(kernel.counters["authentication.refreshed"] == 2)
        #expect(kernel.counters["authentication.resent"] == 50)
    }

    @Test(
        arguments: Linkage.allCases,
        [
            ServerResponse(status: 401, body: #"{"error": "invalid_client"}"#), ServerResponse(status: 500),
            ServerResponse(status: 302, fields: [("Location", "/other")]), ServerResponse(body: "no JSON"),
            ServerResponse(body: [UInt8](repeating: 0x20, count: 100_000)),
        ])
    func `a failed refresh fails all waiting exchanges, with one request to the endpoint`(
        linkage: Linkage, response: TestSupport.ServerResponse
    ) async throws {
        let rejected = Gate()
        let site = try Site(response: { number in
            guard number > 1 else { return ServerResponse(body: Setup.token("t1")) }
            try rejected.wait(for: 10)
            return response
        })
        defer { site.stop() }
        let kernel = try site.kernel(linkage, settings: ["pause": "1m"], beside: [rejections(rejected)])
        _ = try await kernel.send(Request(.get, site.api.url())).body.text()
        site.accept("another")
        let first = kernel.begin(Request(.get, site.api.url()))
        try await rejected.opened()
        // Later requests wait without being sent, so the gate counts them by hand.
        rejected.admit(9)

        let codes = try await withThrowingTaskGroup(of: PlugboardError.Code.self) { group in
            for _ in 0..<9 {
                group.addTask { try await Setup.failure(of: kernel, Request(.get, site.api.url())).code }
            }
            return try await group.reduce(into: Set<PlugboardError.Code>()) { $0.insert($1) }
        }
        let own = await #expect(throws: PlugboardError.self) { try await first.response }

        #expect(codes == [.authenticationRefresh] && own?.code == .authenticationRefresh)
        #expect(site.endpoint.requests.count == 2)
        #expect(kernel.counters["authentication.refreshFailed"] == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `after a failed refresh the endpoint is not asked during the pause, and then again`(linkage: Linkage)
        async throws
    {
        let transport = MockTransport { request, number in
            guard request.url.contains("login.test") else { return .respond(200) }
            return number < 3 ? .respond(503) : .respond(200, Fields(), [Setup.token("t1")])
        }
        let clock = ManualClock()
        let kernel = try Setup.kernel(linkage, transport, origins: Setup.renewing, clock: clock)

        let errors = [
            try await Setup.failure(of: kernel, Request(.get, "http://a.test/")),
            try await Setup.failure(of: kernel, Request(.get, "http://a.test/")),
        ]
        clock.advance(by: .seconds(6))
        let third = try await Setup.failure(of: kernel, Request(.get, "http://a.test/"))
        clock.advance(by: .seconds(11))
        let response = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(Set((errors + [third]).map(\.code)) == [.authenticationRefresh])
        #expect(response.status == 200)
        #expect(
            transport.requests.map(\.url) == Array(repeating: "http://login.test/token", count: 3) + ["http://a.test/"])
    }

    @Test(arguments: Linkage.allCases)
    func `an exchange rejected with an old token is sent again without another refresh`(
        linkage: Linkage
    ) async throws {
        let slow = Gate()
        let site = try Site()
        defer { site.stop() }
        let late = ScriptedPlugin("late", priority: 500)
        late.onResponse = { exchange in
            guard exchange.request.url.hasSuffix("/slow"), exchange.visit == .first, exchange.attempt == 1 else {
                return .next
            }
            let ticket = exchange.ticket()
            Task {
                try await slow.opened()
                ticket.wake()
            }
            return .wait(ticket)
        }
        let kernel = try site.kernel(linkage, beside: [late])
        _ = try await kernel.send(Request(.get, site.api.url())).body.text()
        site.accept("t2")

        let handle = kernel.begin(Request(.get, site.api.url("/slow")))
        _ = try await site.api.requests(atLeast: 2)
        let quick = try await kernel.send(Request(.get, site.api.url("/quick"))).body.text()
        slow.open()
        let response = try await handle.response

        #expect(quick == "Bearer t2 ")
        #expect(try await response.body.text() == "Bearer t2 ")
        #expect(site.endpoint.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a rejected new token passes its 401, and causes no further refresh`(
        linkage: Linkage
    ) async throws {
        let site = try Site()
        defer { site.stop() }
        site.accept("none")
        let kernel = try site.kernel(linkage, settings: ["pause": "1m"])

        let first = try await kernel.send(Request(.get, site.api.url()))
        let second = try await kernel.send(Request(.get, site.api.url()))

        #expect(first.status == 401 && second.status == 401)
        #expect(try await first.body.text() == "rejected")
        #expect(site.api.requests.map { $0["Authorization"] } == ["Bearer t1", "Bearer t2", "Bearer t2"])
        #expect(site.endpoint.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `an endpoint that sends the same token again passes the 401`(linkage: Linkage) async throws {
        let site = try Site(response: { _ in ServerResponse(body: Setup.token("same")) })
        defer { site.stop() }
        let kernel = try site.kernel(linkage)

        let response = try await kernel.send(Request(.get, site.api.url()))

        #expect(response.status == 401)
        #expect(site.api.requests.count == 1 && site.endpoint.requests.count == 2)
    }

    @Test(
        arguments: Linkage.allCases,
        [
            (nil, true), ("bEARER realm=x", true), ("Digest nonce=x, Bearer", true), ("Digest nonce=x", false),
            ("=", true),
        ]
            as [(String?, Bool)])
    func `only a challenge of the token's scheme causes a refresh`(
        linkage: Linkage, example: (challenge: String?, refreshes: Bool)
    ) async throws {
        let site = try Site(challenge: example.challenge)
        defer { site.stop() }
        site.accept("t2")
        let kernel = try site.kernel(linkage)

        let response = try await kernel.send(Request(.get, site.api.url()))

        #expect(response.status == (example.refreshes ? 200 : 401))
        #expect(site.endpoint.requests.count == (example.refreshes ? 2 : 1))
    }

    @Test(arguments: Linkage.allCases)
    func `a body that cannot be rewound gets its 401, and the next request the new token`(
        linkage: Linkage
    ) async throws {
        let site = try Site()
        defer { site.stop() }
        let kernel = try site.kernel(linkage)
        _ = try await kernel.send(Request(.get, site.api.url())).body.text()
        site.accept("t2")

        let response = try await kernel.send(
            Request(.post, site.api.url(), body: Body(PiecesSource(["one", "two"]))))
        let next = try await kernel.send(Request(.get, site.api.url())).body.text()

        #expect(response.status == 401)
        #expect(next == "Bearer t2 ")
        #expect(site.endpoint.requests.count == 2 && site.api.requests.count == 3)
    }

    @Test(arguments: Linkage.allCases)
    func `cancelling the exchange that began a refresh does not stop it`(linkage: Linkage) async throws {
        let go = Gate()
        let rejected = Gate()
        let site = try Site(response: { number in
            if number == 2 { try go.wait() }
            return ServerResponse(body: Setup.token("t\(number)"))
        })
        defer { site.stop() }
        let kernel = try site.kernel(linkage, beside: [rejections(rejected)])
        _ = try await kernel.send(Request(.get, site.api.url())).body.text()
        site.accept("t2")

        let first = kernel.begin(Request(.get, site.api.url()))
        _ = try await site.endpoint.requests(atLeast: 2)
        let second = kernel.begin(Request(.get, site.api.url()))
        first.cancel()
        let error = await #expect(throws: PlugboardError.self) { _ = try await first.response }
        go.open()
        let response = try await second.response

        #expect(error?.code == .cancelled)
        #expect(try await response.body.text() == "Bearer t2 ")
        #expect(site.endpoint.requests.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `an endpoint that does not respond fails after the timeout`(
        linkage: Linkage
    ) async throws {
        let transport = MockTransport { request, _ in
            request.url.contains("login.test") ? .silence : .respond(200)
        }
        let clock = ManualClock()
        let kernel = try Setup.kernel(linkage, transport, origins: Setup.renewing, clock: clock)

        let handle = kernel.begin(Request(.get, "http://a.test/"))
        try await transport.began.opened()
        clock.advance(by: .seconds(31))
        let error = await #expect(throws: PlugboardError.self) { _ = try await handle.response }

        #expect(error?.code == .authenticationRefresh)
        #expect(error?.reason.contains("timeout") == true)
        #expect(transport.requests.map(\.url) == ["http://login.test/token"])
    }

    @Test(arguments: Linkage.allCases)
    func `a 401 of the endpoint causes no refresh, and its request passes the plugins further in`(
        linkage: Linkage
    ) async throws {
        let seen = Record()
        let inside = ScriptedPlugin("inside", priority: 500)
        inside.onRequest = { exchange in
            seen.add(exchange.request.url)
            return .next
        }
        let transport = MockTransport { _, _ in .respond(401, ["WWW-Authenticate": "Bearer"]) }
        // The endpoint has the same origin as the protected resource.
        let kernel = try Setup.kernel(
            linkage, transport, origins: ["http://a.test": Setup.client(of: "http://a.test/token")], beside: [inside])

        let error = try await Setup.failure(of: kernel, Request(.get, "http://a.test/"))

        #expect(error.code == .authenticationRefresh)
        #expect(seen.lines == ["http://a.test/token"])
    }
}
