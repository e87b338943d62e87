import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import PlugboardRetry
import PlugboardRetryOptions
import TestSupport
import Testing

struct RetryTests {
    private let clock = ManualClock()
    private let news = News()

    @Test(arguments: Linkage.allCases)
    func `a failing request is sent again until it succeeds`(linkage: Linkage) async throws {
        let kernel = try linkage.kernel(retryPlugin(), failing(2), clock: clock)

        let response = try await kernel.send(Request(.get, anywhere), passing: clock, news)

        #expect(response.status == 200 && response.attempts == 3)
        #expect(try await response.body.text() == "response 3")
        #expect(news.lines == ["scheduled 1 503 backoff", "scheduled 2 503 backoff"])
        #expect(kernel.counters["retry.scheduled"] == 2 && kernel.counters["retry.recovered"] == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `the last response passes after the last attempt`(linkage: Linkage) async throws {
        let transport = failing(.max)
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock)

        let response = try await kernel.send(Request(.get, anywhere), passing: clock, news)

        #expect(response.status == 503 && response.attempts == 3)
        #expect(try await response.body.text() == "response 3")
        #expect(transport.requests.count == 3)
        #expect(news.lines.last == "gaveUp 3 503 attempts")
        #expect(kernel.counters["retry.gaveUp"] == 1 && kernel.counters["retry.recovered"] == 0)
    }

    @Test(arguments: Linkage.allCases)
    func `the last failure passes unchanged`(linkage: Linkage) async throws {
        let transport = failing(.transportReset)
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock)

        let error = try await kernel.failure(of: Request(.get, anywhere), passing: clock, news)

        #expect(
            error.code == .transportReset && error.reason == "It failed." && error.attempt == 3 && error.plugin == nil)
        #expect(news.lines.last == "gaveUp 3 transport.reset attempts")
    }

    @Test(
        arguments: Linkage.allCases,
        [PlugboardError.Code.transportTLS, .transportTLSCertificate, .transportProtocol, .transportProxy])
    func `permanent failures pass at once`(
        linkage: Linkage, code: PlugboardError.Code
    ) async throws {
        let transport = failing(code)
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock)

        let error = try await kernel.failure(of: Request(.get, anywhere), passing: clock, news)

        #expect(error.code == code)
        #expect(transport.requests.count == 1)
        #expect(news.lines == ["gaveUp 1 \(code) failure"])
    }

    @Test(arguments: Linkage.allCases)
    func `a refusal of a plugin further in is not repeated`(linkage: Linkage) async throws {
        let transport = MockTransport()
        let signing = ScriptedPlugin("signing", priority: 900)
        signing.onRequest = { _ in .fail(PlugboardError("signing.expired", "The key has expired.")) }
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock, beside: [signing])

        let error = try await kernel.failure(of: Request(.get, anywhere), passing: clock, news)

        #expect(error.code == "signing.expired")
        #expect(transport.requests.isEmpty)
        #expect(news.lines == ["gaveUp 1 signing.expired failure"])
    }

    @Test(arguments: Linkage.allCases)
    func `plugins further in see each attempt, those further out the last`(linkage: Linkage) async throws {
        let seen = Record()
        let watching = [("outside", 100), ("inside", 900)].map { id, priority in
            let plugin = ScriptedPlugin(id, priority: priority)
            plugin.onResponse = { exchange in
                seen.add("\(id) \(exchange.response?.status ?? 0)")
                return .next
            }
            return plugin
        }
        let kernel = try linkage.kernel(retryPlugin(), failing(1), clock: clock, beside: watching)

        _ = try await kernel.send(Request(.get, anywhere), passing: clock)

        #expect(seen.lines == ["inside 503", "inside 200", "outside 200"])
    }

    // MARK: Delays

    @Test(arguments: Linkage.allCases)
    func `the server's delay is waited for exactly`(linkage: Linkage) async throws {
        let transport = failing(1, 503, ["Retry-After": "30"])
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock)

        let handle = kernel.begin(Request(.get, anywhere)) { [news] in news.add($0) }
        try await news.scheduled.opened()
        clock.advance(by: .milliseconds(29_999))
        // Waits for a whole exchange, in which the loop would have resent too early.
        _ = try await kernel.send(Request(.get, "http://other.test/"))
        let before = transport.requests.filter { $0.url == anywhere }.count
        clock.advance(by: .milliseconds(1))
        let response = try await handle.response

        #expect(before == 1)
        #expect(response.status == 200)
        #expect(news.lines == ["scheduled 1 503 retryAfter 30s"])
    }

    @Test(arguments: Linkage.allCases)
    func `a date is compared with the wall clock once, even if that jumps later`(linkage: Linkage) async throws {
        clock.setWallClock(.seconds(784_111_777))
        let transport = failing(1, 503, ["Retry-After": "Sun, 06 Nov 1994 08:50:07 GMT"])
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock)

        let handle = kernel.begin(Request(.get, anywhere)) { [news] in news.add($0) }
        try await news.scheduled.opened()
        clock.setWallClock(.seconds(0))
        clock.advance(by: .seconds(30))
        let response = try await handle.response

        #expect(response.status == 200)
        #expect(news.lines == ["scheduled 1 503 retryAfter 30s"])
    }

    @Test(
        arguments: Linkage.allCases,
        [
            ("3155760000", "gaveUp 1 503 retryAfterLimit"), ("61", "gaveUp 1 503 retryAfterLimit"),
            ("Fri, 31 Dec 9999 23:59:59 GMT", "gaveUp 1 503 retryAfterLimit"),
            (String(repeating: "9", count: 1000), "gaveUp 1 503 retryAfterLimit"),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "scheduled 1 503 backoff"), ("0", "scheduled 1 503 backoff"),
            ("-5", "scheduled 1 503 backoff"), ("soon", "scheduled 1 503 backoff"), ("", "scheduled 1 503 backoff"),
        ])
    func `too long delays are not waited for, and past or invalid ones mean the usual delay`(
        linkage: Linkage, sample: (value: String, told: String)
    ) async throws {
        let kernel = try linkage.kernel(retryPlugin(), failing(1, 503, ["Retry-After": sample.value]), clock: clock)

        let response = try await kernel.send(Request(.get, anywhere), passing: clock, news)

        #expect(news.lines == [sample.told])
        #expect(response.status == (sample.told.hasPrefix("gaveUp") ? 503 : 200))
    }

    @Test(arguments: Linkage.allCases)
    func `a used-up quota is waited for`(linkage: Linkage) async throws {
        let kernel = try linkage.kernel(
            retryPlugin(), failing(1, 429, ["RateLimit": #""default";r=0;t=12"#]), clock: clock)

        let response = try await kernel.send(Request(.get, anywhere), passing: clock, news)

        #expect(response.status == 200)
        #expect(news.lines == ["scheduled 1 429 rateLimit 12s"])
    }

    // MARK: Ending and suspending

    @Test(arguments: Linkage.allCases)
    func `cancelling ends a delay, and returns the token`(linkage: Linkage) async throws {
        let transport = failing(.max)
        let kernel = try linkage.kernel(
            retryPlugin(), transport, clock: clock, settings: ["budgetSize": 1, "budgetPerSecond": 0, "budgetShare": 0])

        let handle = kernel.begin(Request(.get, anywhere)) { [news] in news.add($0) }
        try await news.scheduled.opened()
        let during = try await kernel.retry.stats()
        handle.cancel()
        let error = await #expect(throws: PlugboardError.self) { try await handle.response }
        clock.advance(by: .seconds(3600))
        let after = try await kernel.retry.stats()

        #expect(error?.code == .cancelled)
        #expect(during.keys.map(\.description) == ["http://origin.test"])
        #expect(during.values.first?.tokens == 0 && during.values.first?.circuit == .closed(failures: 0))
        #expect(after.isEmpty)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `the exchange's timeout ends a delay`(linkage: Linkage) async throws {
        let transport = failing(1, 503, ["Retry-After": "30"])
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock)
        var request = Request(.get, anywhere)
        request.options.timeout = .seconds(5)

        let handle = kernel.begin(request) { [news] in news.add($0) }
        try await news.scheduled.opened()
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: PlugboardError.self) { try await handle.response }

        #expect(error?.code == .timeoutExchange)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `a delay stops while the exchange is suspended`(linkage: Linkage) async throws {
        let transport = failing(1, 503, ["Retry-After": "30"])
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock)
        let suspended = Gate()
        let resumed = Gate()

        let handle = kernel.begin(Request(.get, anywhere)) { [news] event in
            news.add(event)
            if event.kernelEvent == .suspended { suspended.admit() }
            if event.kernelEvent == .resumed { resumed.admit() }
        }
        try await news.scheduled.opened()
        handle.suspend()
        try await suspended.opened()
        clock.advance(by: .seconds(3600))
        handle.resume()
        try await resumed.opened()
        let before = transport.requests.count
        clock.advance(by: .seconds(30))
        let response = try await handle.response

        #expect(before == 1)
        #expect(response.status == 200)
    }

    @Test(arguments: Linkage.allCases)
    func `no repetition begins after the total time`(linkage: Linkage) async throws {
        let transport = failing(.max, 503, ["Retry-After": "4"])
        let kernel = try linkage.kernel(
            retryPlugin(), transport, clock: clock, settings: ["attempts": 10, "totalTime": "10s"])

        let response = try await kernel.send(Request(.get, anywhere), passing: clock, news)

        #expect(response.attempts == 3)
        #expect(news.lines.last == "gaveUp 3 503 totalTime")
    }

    @Test(arguments: Linkage.allCases)
    func `a request that another plugin sends again has all its attempts again`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in .respond(number == 3 || number == 6 ? 200 : 503) }
        let again = ScriptedPlugin("again", priority: 400)
        again.onResponse = { $0.attempt == 3 ? .resend() : .next }
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock, beside: [again])

        let response = try await kernel.send(Request(.get, anywhere), passing: clock, news)

        #expect(response.status == 200 && response.attempts == 6)
        #expect(news.lines.map { $0.prefix(11) } == ["scheduled 1", "scheduled 2", "scheduled 1", "scheduled 2"])
    }

    // MARK: Settings and attributes

    @Test(arguments: Linkage.allCases)
    func `a request's attributes take precedence over the settings`(linkage: Linkage) async throws {
        let transport = failing(.max, 418)
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock)
        var request = Request("QUERY", anywhere)
        request.retry.attempts = 5
        request.retry.statuses = [418]
        request.retry.methods = ["QUERY"]
        request.retry.delay = .milliseconds(1)
        request.retry.delayLimit = .milliseconds(2)
        request.retry.totalTime = .seconds(1)

        let response = try await kernel.send(request, passing: clock, news)

        #expect(response.status == 418 && response.attempts == 5)
        #expect(news.lines.last == "gaveUp 5 418 attempts")
        #expect(clock.now <= 1_008_000_000)
    }

    @Test(arguments: Linkage.allCases)
    func `a request chooses the failures to repeat, and whether the server's delay counts`(linkage: Linkage)
        async throws
    {
        let transport = MockTransport { request, number in
            request.url == anywhere
                ? .failure(PlugboardError(.transportReset, ""))
                : .respond(number < 4 ? 503 : 200, ["Retry-After": "300"])
        }
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock)
        var failing = Request(.get, anywhere)
        failing.retry.failures = [.transportConnect]
        var deaf = Request(.get, "http://deaf.test/")
        deaf.retry.respectRetryAfter = false
        var patient = Request(.get, "http://patient.test/")
        patient.retry.retryAfterLimit = .seconds(300)

        _ = try await kernel.failure(of: failing, passing: clock, news)
        _ = try await kernel.send(deaf, passing: clock, news)
        _ = try await kernel.send(patient, passing: clock, news)

        #expect(
            news.lines == ["gaveUp 1 transport.reset failure", "scheduled 1 503 backoff", "scheduled 2 503 backoff"])
    }

    @Test(arguments: Linkage.allCases)
    func `values that can never have an effect are refused, by request and for an origin`(linkage: Linkage)
        async throws
    {
        let kernel = try linkage.kernel(retryPlugin(), failing(.max), clock: clock)
        var cancelled = Request(.get, anywhere)
        cancelled.retry.failures = [.cancelled, .transportReset]
        var fine = Request(.get, anywhere)
        fine.retry.statuses = [503, 200]
        var small = Request(.get, anywhere)
        small.retry.methods = ["post"]

        let failure = try await kernel.failure(of: cancelled, passing: clock, news)
        let status = try await kernel.failure(of: fine, passing: clock, news)
        let method = try await kernel.failure(of: small, passing: clock, news)
        let origin = #expect(throws: PlugboardError.self) {
            try linkage.kernel(retryPlugin(), failing(.max), clock: clock) {
                $0.origins = ["http://a.test": ["retry.methods": #"["A B"]"#]]
            }
        }

        #expect(
            failure.code == .configuration && failure.reason.contains("failures contains cancelled, which is never"))
        #expect(method.reason.contains("methods contains post, which is another method than POST"))
        #expect(status.reason.contains("statuses contains 200, which is not a status from 400 to 599"))
        #expect(origin?.reason.contains("methods contains A B, which is not a method") == true)
    }

    @Test(arguments: Linkage.allCases)
    func `origins have their own sections`(linkage: Linkage) async throws {
        let slow: Origin = "http://slow.test"
        let transport = failing(.max)
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock) {
            $0.origins = [slow: ["retry.attempts": "5", "retry.statuses": #"["503"]"#]]
        }

        let there = try await kernel.send(Request(.get, "http://slow.test/"), passing: clock)
        let elsewhere = try await kernel.send(Request(.get, "http://fast.test/"), passing: clock)

        #expect(there.attempts == 5)
        #expect(elsewhere.attempts == 3)
    }

    @Test(arguments: Linkage.allCases)
    func `a request that disables the plugin is sent once`(linkage: Linkage) async throws {
        let kernel = try linkage.kernel(retryPlugin(), failing(.max), clock: clock)
        var without = Request(.get, anywhere)
        without.attributes["retry.enabled"] = "false"
        var once = Request(.get, anywhere)
        once.retry.attempts = 1

        let first = try await kernel.send(without, passing: clock, news)
        let second = try await kernel.send(once, passing: clock, news)

        #expect(first.attempts == 1 && second.attempts == 1)
        #expect(news.lines == ["gaveUp 1 503 attempts"])
    }

    @Test(
        arguments: Linkage.allCases,
        [
            (["statuses": ["200"]], "200"), (["statuses": ["5xx"]], "5xx"), (["failures": ["transport.tls"]], "tls"),
            (["failures": ["plugin.failed"]], "plugin.failed"), (["methods": ["A B"]], "A B"),
            (["attempts": 0], "attempts"),
            (["delay": "-1s"], "delay"),
        ] as [(JSONObject, String)])
    func `settings that can never have an effect are refused`(
        linkage: Linkage, sample: (settings: JSONObject, names: String)
    ) throws {
        let error = #expect(throws: PlugboardError.self) {
            try linkage.kernel(retryPlugin(), MockTransport(), settings: sample.settings)
        }

        #expect(error?.description.contains(sample.names) == true, "\(error.debugDescription)")
    }

    @Test(arguments: Linkage.allCases)
    func `a successful exchange leaves no state`(linkage: Linkage) async throws {
        let kernel = try linkage.kernel(
            retryPlugin(), MockTransport(), clock: clock, settings: ["circuitBreaker": true])

        let response = try await kernel.send(Request(.get, anywhere), passing: clock, news)

        #expect(response.attempts == 1)
        #expect(news.lines.isEmpty)
        #expect(try await kernel.retry.stats().isEmpty)
    }
}
