import Plugboard
import PlugboardEventLoop
import PlugboardLimit
import TestSupport
import Testing

/// What counts as a request, and what servers ask for.
struct LimitAttemptTests {
    @Test(arguments: Linkage.allCases)
    func `a repetition counts, and makes the next request wait`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in .respond(number == 1 ? 500 : 200) }
        let scene = try LimitScene(
            linkage, ["*": "2/m"], settings: ["wait": "0s"], transport,
            beside: [PluginEntry("retry", settings: ["delay": "0ms", "delayLimit": "0ms"])])

        try await scene.send()
        let error = try await scene.failure(of: Request(.get, LimitScene.anywhere))

        #expect(error.code == .limitExceeded && scene.sent.count == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a redirect counts for the server that it leads to`(linkage: Linkage) async throws {
        let transport = MockTransport { request, _ in
            request.url == LimitScene.anywhere ? .respond(302, ["Location": "https://other.test/"]) : .respond(200)
        }
        let scene = try LimitScene(
            linkage, ["https://other.test": "1/m"], settings: ["wait": "0s"], transport, beside: ["redirect"])

        try await scene.send()
        let error = try await scene.failure(of: Request(.get, "https://other.test/"))

        #expect(error.code == .limitExceeded && scene.sent == [LimitScene.anywhere, "https://other.test/"])
    }

    @Test(arguments: Linkage.allCases)
    func `with priority 850 each attempt waits`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in .respond(number == 1 ? 500 : 200) }
        let scene = try LimitScene(
            linkage, ["*": "1/s"], transport, priority: 850,
            beside: [PluginEntry("retry", settings: ["delay": "0ms", "delayLimit": "0ms"])])

        let handle = scene.begin()
        try await scene.waiting.opened()
        let before = scene.sent.count
        scene.clock.advance(by: .milliseconds(1100))
        let response = try await handle.response

        #expect(before == 1 && response.status == 200 && response.attempts == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `an exchange that never reaches the network gives its room back`(linkage: Linkage) async throws {
        let served = ScriptedPlugin("served", priority: 600)
        served.onRequest = { $0.request.url.hasSuffix("stored") ? .respond(ResponseHead(status: 200)) : .next }
        let scene = try LimitScene(linkage, ["*": "1/m"], settings: ["wait": "0s"], scripted: [served])

        for _ in 0..<3 { try await scene.send("https://api.test/stored") }

        #expect(try await scene.send() == 200)
    }

    @Test(arguments: Linkage.allCases)
    func `a redirect has a place at once where it leads to`(linkage: Linkage) async throws {
        let held = SteppedSource()
        let transport = MockTransport { request, number in
            switch number {
            case 1: .respond(302, ["Location": "https://other.test/"])
            case 2: .source(200, Fields(), held)
            default: .respond(200)
            }
        }
        let scene = try LimitScene(linkage, ["https://other.test/*": "1 at once"], transport, beside: ["redirect"])
        let first = try await scene.begin().response

        let second = scene.begin("https://other.test/second")
        try await scene.waiting.opened()
        let before = scene.sent.count
        held.give(nil)
        _ = try await first.body.text()
        _ = try await second.response.body.text()

        #expect(before == 2 && scene.sent.count == 3 && scene.metric("running", "https://other.test/*") == 0)
    }

    @Test(arguments: Linkage.allCases)
    func `a first attempt counts where a plugin has sent it`(linkage: Linkage) async throws {
        let moving = ScriptedPlugin("moving", priority: 300)
        moving.onRequest = { exchange in
            if exchange.request.url == LimitScene.anywhere { exchange.request.url = "https://other.test/" }
            return .next
        }
        let scene = try LimitScene(
            linkage, ["https://api.test/*": "1/m", "https://other.test": "1/m"], settings: ["wait": "0s"],
            scripted: [moving])

        try await scene.send()
        let error = try await scene.failure(of: Request(.get, "https://other.test/"))

        #expect(try await scene.send("https://api.test/other") == 200)
        #expect(error.reason.contains("https://other.test"))
    }

    @Test(arguments: Linkage.allCases)
    func `a plugin further out can send a request while its own has the only place`(linkage: Linkage) async throws {
        let asking = ScriptedPlugin("asking", priority: 450)
        let inner = Locked(0)
        asking.onResponse = { exchange in
            if exchange.visit != .first { return .next }
            let ticket = exchange.ticket()
            _ = asking.host?.send(Request(.get, "https://api.test/token"), for: exchange.id) { _ in
                inner.withLock { $0 += 1 }
                ticket.wake()
            }
            return .wait(ticket)
        }
        let scene = try LimitScene(linkage, ["*": "1 at once"], priority: 850, scripted: [asking])

        let status = try await scene.send()

        #expect(status == 200 && inner.withLock { $0 } == 1 && scene.sent.count == 2)
    }

    // MARK: What servers ask for

    @Test(
        arguments: Linkage.allCases,
        [
            (429, ["Retry-After": "20"]), (503, ["Retry-After": "20"]),
            (200, ["RateLimit": #""default";r=0;t=20"#]), (200, ["RateLimit-Remaining": "0", "RateLimit-Reset": "20"]),
            (200, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "20"]),
        ] as [(Int, Fields)])
    func `a pause that a server asks for holds back what follows, for that origin only`(
        linkage: Linkage, asked: (status: Int, fields: Fields)
    ) async throws {
        let transport = MockTransport { _, number in
            number == 1 ? .respond(asked.status, asked.fields) : .respond(200)
        }
        let scene = try LimitScene(linkage, [:], transport)
        try await scene.send()

        let held = scene.begin("https://api.test/other")
        try await scene.waiting.opened()
        let elsewhere = try await scene.send("https://other.test/")
        let use = try await scene.kernel.limit.list()
        scene.clock.advance(by: .seconds(20))
        let response = try await held.response

        #expect(elsewhere == 200 && response.status == 200)
        #expect(use.map(\.pausedFor) == [.seconds(20)] && use.first?.values == ["origin": "https://api.test"])
        #expect(scene.record.lines == ["paused * 20s", "waiting *", "waited *"])
    }

    @Test(arguments: Linkage.allCases)
    func `a pause is for the server that a route leads to, and for the trust in it`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in number <= 2 ? .respond(429, ["Retry-After": "20"]) : .respond(200)
        }
        let scene = try LimitScene(linkage, [:], transport)
        var (detour, unverified) = (Request(.get, LimitScene.anywhere), Request(.get, LimitScene.anywhere))
        detour.options.unixSocket = "/run/other.sock"
        unverified.options.tls.verify = false
        for request in [detour, unverified] { try await scene.send(request) }

        let direct = try await scene.send()
        let held = scene.begin(detour)
        try await scene.waiting.opened()
        scene.clock.advance(by: .seconds(20))
        let response = try await held.response

        #expect(direct == 200 && response.status == 200)
        #expect(scene.record.lines == ["paused * 20s", "paused * 20s", "waiting *", "waited *"])
    }

    @Test(arguments: Linkage.allCases)
    func `a pause is bounded, and can be switched off`(linkage: Linkage) async throws {
        let transport = MockTransport { _, _ in .respond(429, ["Retry-After": "9000"]) }
        let bounded = try LimitScene(linkage, [:], settings: ["pauseLimit": "7s"], transport)
        let unread = try LimitScene(linkage, [:], settings: ["learn": false], transport)

        for scene in [bounded, unread] { try await scene.send() }

        #expect(try await bounded.kernel.limit.list().map(\.pausedFor) == [.seconds(7)])
        #expect(try await unread.kernel.limit.list().isEmpty)
    }

    @Test(arguments: Linkage.allCases)
    func `a response that is repeated or redirected is read, too`(linkage: Linkage) async throws {
        let transport = MockTransport { request, number in
            switch number {
            case 1: .respond(302, ["Location": "https://other.test/"])
            case 2: .respond(429, ["Retry-After": "20"])
            default: .respond(200)
            }
        }
        let scene = try LimitScene(linkage, [:], transport, beside: ["redirect"])

        let status = try await scene.send()

        #expect(status == 429)
        #expect(try await scene.kernel.limit.list().map(\.values) == [["origin": "https://other.test"]])
    }

    @Test(arguments: Linkage.allCases)
    func `a general rule is not paused by one server`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in number == 1 ? .respond(429, ["Retry-After": "20"]) : .respond(200)
        }
        let scene = try LimitScene(linkage, ["*": "100/s"], transport)
        try await scene.send()

        #expect(try await scene.send("https://other.test/") == 200)
        #expect(scene.record.lines == [])
    }

    @Test(arguments: Linkage.allCases)
    func `a pause holds back requests that count by the same value as at the beginning`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in number == 1 ? .respond(429, ["Retry-After": "20"]) : .respond(200)
        }
        let signing = ScriptedPlugin("signing", priority: 900)
        signing.onRequest = { exchange in
            exchange.request.append("X-Tenant", "signed")
            return .next
        }
        let scene = try LimitScene(
            linkage, ["*": "by origin, by field X-Tenant"], settings: ["wait": "0s"], transport, scripted: [signing])
        try await scene.send()

        let error = try await scene.failure(of: Request(.get, LimitScene.anywhere))

        #expect(error.code == .limitExceeded)
        #expect(try await scene.send(Request(.get, LimitScene.anywhere, fields: ["X-Tenant": "a"])) == 200)
    }

    @Test(arguments: Linkage.allCases)
    func `a quota that a server shows is not exceeded`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in
            number == 1 ? .respond(200, ["RateLimit": #""default";r=1;t=30"#]) : .respond(200)
        }
        let scene = try LimitScene(linkage, [:], settings: ["wait": "0s"], transport)

        for _ in 1...2 { try await scene.send() }
        let error = try await scene.failure(of: Request(.get, LimitScene.anywhere))
        scene.clock.advance(by: .seconds(30))

        #expect(error.code == .limitExceeded)
        #expect(try await scene.send() == 200)
    }
}
