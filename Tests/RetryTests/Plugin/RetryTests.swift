import Plugboard
import PlugboardEventLoop
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
