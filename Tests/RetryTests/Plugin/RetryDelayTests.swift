import Plugboard
import PlugboardEventLoop
import PlugboardRetry
import PlugboardRetryOptions
import TestSupport
import Testing

/// How long a repetition waits, and what ends or stops the wait.
struct RetryDelayTests {
    private let clock = ManualClock()
    private let news = News()

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
}
