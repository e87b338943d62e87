import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import PlugboardRetry
import PlugboardRetryOptions
import TestSupport
import Testing

/// Settings, and attributes of requests and origins.
struct RetrySettingsTests {
    private let clock = ManualClock()
    private let news = News()

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
}
