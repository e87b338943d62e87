import Plugboard
import PlugboardLimit
import TestSupport
import Testing

struct LimitTests {
    @Test(arguments: Linkage.allCases)
    func `beyond its rate a request waits, and goes on when there is room`(linkage: Linkage) async throws {
        let scene = try LimitScene(linkage, ["https://api.test": "2/s"])
        try await scene.send()
        try await scene.send()

        let third = scene.begin()
        try await scene.waiting.opened()
        let before = scene.sent.count
        scene.clock.advance(by: .milliseconds(1100))
        let response = try await third.response

        #expect(before == 2 && response.status == 200)
        #expect(scene.record.lines == ["waiting https://api.test", "waited https://api.test"])
        #expect(scene.metric("waited", "https://api.test") == 1 && scene.metric("waiting", "https://api.test") == 0)
        #expect(try await scene.kernel.limit.list().first?.left == ["2/s": 1])
    }

    @Test(arguments: Linkage.allCases)
    func `requests at once are counted until their bodies end`(linkage: Linkage) async throws {
        let held = SteppedSource()
        let scene = try LimitScene(linkage, ["https://api.test": "1 at once"], .holding(held))
        let first = try await scene.begin().response
        #expect(scene.metric("running", "https://api.test") == 1)

        let second = scene.begin()
        try await scene.waiting.opened()
        let before = scene.sent.count
        held.give(nil)
        _ = try await first.body.text()
        _ = try await second.response.body.text()

        #expect(before == 1 && scene.sent.count == 2)
        #expect(scene.metric("running", "https://api.test") == 0)
    }

    @Test(arguments: Linkage.allCases)
    func `requests of a key wait in order`(linkage: Linkage) async throws {
        let held = SteppedSource()
        let scene = try LimitScene(linkage, ["*": "1 at once"], .holding(held))
        let first = try await scene.begin("https://a.test/0").response
        var others: [ExchangeHandle] = []
        for number in 1...5 {
            others.append(scene.begin("https://a.test/\(number)"))
            try await scene.waiting.opened(for: number)
        }

        held.give(nil)
        _ = try await first.body.text()
        for other in others { _ = try await other.response.body.text() }

        #expect(scene.sent == (0...5).map { "https://a.test/\($0)" })
    }

    @Test(arguments: Linkage.allCases)
    func `rules are by method, host and path, and all that apply count`(linkage: Linkage) async throws {
        let scene = try LimitScene(
            linkage, ["POST https://api.test/orders*": "1/m", "https://api.test/*": "2/m"], settings: ["wait": "0s"])

        try await scene.send(Request(.post, "https://api.test/orders/1"))
        let post = try await scene.failure(of: Request(.post, "https://api.test/orders/2"))
        try await scene.send("https://api.test/orders/2")
        let get = try await scene.failure(of: Request(.get, "https://api.test/other"))
        try await scene.send("https://other.test/")

        #expect(post.code == .limitExceeded && post.plugin == "limit")
        #expect(post.reason.contains("The rule POST https://api.test/orders* of limit had no room"))
        #expect(get.reason.contains("The rule https://api.test/* of limit had no room"))
        #expect(scene.metric("refused", "https://api.test/*") == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `each origin, value of a field and value of an attribute has a limit for itself`(linkage: Linkage) async throws
    {
        let scene = try LimitScene(
            linkage,
            [
                "*/origin": "1/m, by origin", "*/field": "1/m, by field X-Tenant",
                "*/attribute": "1/m, by attribute limit.key",
            ], settings: ["wait": "0s"])
        var requests = ["a", "b"].map { Request(.get, "https://\($0).test/origin") }
        for value in ["a", "b"] {
            requests.append(Request(.get, "https://a.test/field", fields: ["x-tenant": value]))
            var request = Request(.get, "https://a.test/attribute")
            request.limit.key = value
            requests.append(request)
        }

        for request in requests { try await scene.send(request) }
        for request in requests { #expect(try await scene.failure(of: request).code == .limitExceeded) }

        #expect(scene.sent.count == 6)
    }

    @Test(arguments: Linkage.allCases)
    func `a request waits no longer than it may, and fails at once if that is known`(linkage: Linkage) async throws {
        let held = SteppedSource()
        let scene = try LimitScene(
            linkage, ["*": "1 at once", "https://api.test": "1/m"], settings: ["wait": "5s"], .holding(held))
        let first = try await scene.begin().response
        var patient = Request(.get, "https://other.test/")
        patient.limit.wait = .seconds(9)
        let (known, long) = (try await scene.failure(of: Request(.get, LimitScene.anywhere)), scene.begin(patient))
        try await scene.waiting.opened()

        scene.clock.advance(by: .seconds(9))
        let error = await #expect(throws: PlugboardError.self) { try await long.response }
        held.give(nil)
        _ = try await first.body.text()

        #expect(known.code == .limitExceeded && known.reason.contains("It has room in"))
        #expect(error?.code == .limitExceeded && scene.metric("waiting", "*") == 0)
        #expect(scene.record.lines == ["refused https://api.test", "waiting *", "refused *"])
    }

    @Test(arguments: Linkage.allCases)
    func `a request that would wait beyond its own timeout fails at once`(linkage: Linkage) async throws {
        let scene = try LimitScene(linkage, ["*": "1/m"], settings: ["wait": "1h"])
        try await scene.send()
        var request = Request(.get, LimitScene.anywhere)
        request.options.timeout = .seconds(10)

        let error = try await scene.failure(of: request)

        #expect(error.code == .limitExceeded)
    }

    @Test(arguments: Linkage.allCases)
    func `a cancelled request leaves the queue, and the exchange's timeout ends the wait`(linkage: Linkage) async throws
    {
        let held = SteppedSource()
        let scene = try LimitScene(linkage, ["*": "1 at once"], settings: ["wait": "1h"], .holding(held))
        let first = try await scene.begin().response
        let cancelled = scene.begin("https://a.test/cancelled")
        try await scene.waiting.opened()
        var short = Request(.get, "https://a.test/short")
        short.options.timeout = .seconds(5)
        let late = scene.begin(short)
        try await scene.waiting.opened(for: 2)
        let last = scene.begin("https://a.test/last")
        try await scene.waiting.opened(for: 3)

        cancelled.cancel()
        let firstError = await #expect(throws: PlugboardError.self) { try await cancelled.response }
        scene.clock.advance(by: .seconds(5))
        let secondError = await #expect(throws: PlugboardError.self) { try await late.response }
        held.give(nil)
        _ = try await first.body.text()
        _ = try await last.response.body.text()

        #expect(firstError?.code == .cancelled && secondError?.code == .timeoutExchange)
        #expect(scene.sent == [LimitScene.anywhere, "https://a.test/last"])
        #expect(scene.metric("waiting", "*") == 0 && scene.metric("running", "*") == 0)
    }

    @Test(arguments: Linkage.allCases)
    func `a suspended request leaves its room to the others, and enters again when it is resumed`(linkage: Linkage)
        async throws
    {
        let held = SteppedSource()
        let scene = try LimitScene(linkage, ["*": "1 at once"], settings: ["wait": "1h"], .holding(held))
        let first = try await scene.begin().response
        let suspended = Gate()
        let waiting = scene.kernel.begin(Request(.get, "https://a.test/suspended")) { [scene] event in
            if event.id == "limit.waiting" { scene.waiting.admit() }
            if event.kernelEvent == .suspended { suspended.admit() }
        }
        try await scene.waiting.opened()
        waiting.suspend()
        try await suspended.opened()
        let other = scene.begin("https://a.test/other")
        try await scene.waiting.opened(for: 2)

        held.give(nil)
        _ = try await first.body.text()
        _ = try await other.response.body.text()
        waiting.resume()
        _ = try await waiting.response.body.text()

        #expect(scene.sent == [LimitScene.anywhere, "https://a.test/other", "https://a.test/suspended"])
        #expect(scene.metric("running", "*") == 0 && scene.metric("waiting", "*") == 0)
    }

    @Test(arguments: Linkage.allCases)
    func `beyond the most waiters a request fails at once`(linkage: Linkage) async throws {
        let held = SteppedSource()
        let scene = try LimitScene(linkage, ["*": "1 at once"], settings: ["waiters": 1], .holding(held))
        let first = try await scene.begin().response
        let second = scene.begin()
        try await scene.waiting.opened()

        let error = try await scene.failure(of: Request(.get, LimitScene.anywhere))
        held.give(nil)
        _ = try await first.body.text()

        #expect(error.code == .limitExceeded && error.reason.contains("raise limit's setting waiters"))
        #expect(try await second.response.status == 200)
    }

    @Test(arguments: Linkage.allCases)
    func `a request that switches the plugin off does not wait`(linkage: Linkage) async throws {
        let scene = try LimitScene(linkage, ["*": "1/m"], settings: ["wait": "0s"])
        try await scene.send()
        var without = Request(.get, LimitScene.anywhere)
        without.limit.isEnabled = false

        #expect(try await scene.send(without) == 200)
    }

    // MARK: Commands and settings

    @Test(arguments: Linkage.allCases)
    func `list shows what is left, without secret and long values, and forget gives it back`(linkage: Linkage)
        async throws
    {
        let scene = try LimitScene(
            linkage, ["*": "1/m, by field Authorization, by field X-Tenant"], settings: ["wait": "0s"])
        let long = String(repeating: "x", count: 200)
        for (secret, tenant) in [("Bearer one", "a"), ("Bearer two", long)] {
            try await scene.send(
                Request(.get, LimitScene.anywhere, fields: ["Authorization": secret, "X-Tenant": tenant]))
        }

        let before = try await scene.kernel.limit.list()
        let text = "\(try await scene.kernel.command("limit", "list"))"
        try await scene.kernel.limit.forget()
        let after = try await scene.kernel.limit.list()

        #expect(before.count == 2 && before.allSatisfy { $0.rule == "*" && $0.left == ["1/m": 0] })
        #expect(before.allSatisfy { $0.values["Authorization"] == "…" })
        #expect(before.compactMap { $0.values["X-Tenant"] }.sorted() == ["a", "…"])
        #expect(!text.contains("Bearer") && !text.contains("xxx"))
        #expect(after.isEmpty)
    }

    @Test(arguments: Linkage.allCases)
    func `values without end share one limit, and do not grow the table`(linkage: Linkage) async throws {
        let scene = try LimitScene(
            linkage, ["*": "1/m, by field X-Tenant"], settings: ["wait": "0s", "keys": 10])

        for number in 0..<100 {
            let request = Request(.get, LimitScene.anywhere, fields: ["X-Tenant": "\(number)"])
            if number <= 10 { try await scene.send(request) } else { _ = try await scene.failure(of: request) }
        }

        #expect(try await scene.kernel.limit.list().count == 11)
    }

    @Test(
        arguments: Linkage.allCases,
        [
            (["rules": ["*": "fast"]], "which is no limit"), (["rules": ["api.test": "1/s"]], "is no rule"),
            (["rules": [:]], "rules"), (["keys": 0], "keys"), (["wait": "-1s"], "wait"),
            (["pauseLimit": "0s"], "pauseLimit"),
        ] as [(JSONObject, String)])
    func `settings that cannot work are refused`(
        linkage: Linkage, sample: (settings: JSONObject, says: String)
    ) throws {
        let error = #expect(throws: PlugboardError.self) {
            try LimitScene(linkage, [:], settings: sample.settings)
        }

        #expect(error?.description.contains(sample.says) == true, "\(error.debugDescription)")
    }

    @Test(arguments: Linkage.allCases)
    func `several loops share the limits, and all requests come through`(linkage: Linkage) async throws {
        let most = Locked((now: 0, most: 0))
        let counting = ScriptedPlugin("counting", priority: 900)
        counting.onRequest = { _ in
            most.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            return .next
        }
        counting.onClose = { _, _ in most.withLock { $0.now -= 1 } }
        let scene = try LimitScene(linkage, ["*": "3 at once"], scripted: [counting], loops: 4)

        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 { group.addTask { try await scene.send() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(statuses == Array(repeating: 200, count: 200))
        #expect(most.withLock { $0.most } <= 3)
        #expect(scene.metric("running", "*") == 0 && scene.metric("waiting", "*") == 0)
    }
}
