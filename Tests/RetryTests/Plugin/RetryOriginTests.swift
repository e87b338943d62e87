import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import PlugboardRetry
import PlugboardRetryOptions
import Synchronization
import TestSupport
import Testing

/// Budgets and circuits in a kernel.
struct RetryOriginTests {
    private let clock = ManualClock()
    private let news = News()

    // MARK: Budgets

    @Test(arguments: Linkage.allCases)
    func `repetitions to a failing origin stay within its budget`(linkage: Linkage) async throws {
        let transport = failing(.max)
        let kernel = try linkage.kernel(
            retryPlugin(), transport, clock: clock,
            settings: ["budgetSize": 5, "budgetPerSecond": 0, "budgetShare": 10, "attempts": 4])

        for _ in 0..<100 { _ = try await kernel.send(Request(.get, anywhere), passing: clock, news) }
        let elsewhere = try await kernel.send(Request(.get, "http://other.test/"), passing: clock, news)

        // 5 from the initial budget, and one for each ten first attempts after the entry was created.
        #expect(transport.requests.filter { $0.url == anywhere }.count == 100 + 5 + 9)
        #expect(elsewhere.attempts == 4)
        #expect(news.lines.contains("gaveUp 1 503 budget"))
    }

    @Test(arguments: Linkage.allCases)
    func `without budgets all attempts are made`(linkage: Linkage) async throws {
        let transport = failing(.max)
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock, settings: ["budget": false])

        for _ in 0..<50 { _ = try await kernel.send(Request(.get, anywhere), passing: clock) }

        #expect(transport.requests.count == 150)
    }

    @Test(arguments: Linkage.allCases)
    func `forget fills all budgets and closes all circuits`(linkage: Linkage) async throws {
        let kernel = try linkage.kernel(
            retryPlugin(), failing(.max), clock: clock,
            settings: ["budgetSize": 1, "circuitBreaker": true, "circuitFailures": 2])

        _ = try await kernel.send(Request(.get, anywhere), passing: clock, news)
        _ = try await kernel.failure(of: Request(.get, anywhere), passing: clock, news)
        try await kernel.retry.forget()
        let response = try await kernel.send(Request(.get, anywhere), passing: clock, news)

        #expect(response.attempts == 2)
        #expect(
            news.lines == [
                "scheduled 1 503 backoff", "circuitOpened http://origin.test", "gaveUp 2 503 circuit",
                "circuitRefused http://origin.test", "scheduled 1 503 backoff", "circuitOpened http://origin.test",
                "gaveUp 2 503 circuit",
            ])
    }

    // MARK: Circuits

    private let circuit: JSONObject = [
        "circuitBreaker": true, "circuitFailures": 2, "circuitOpenTime": "10s", "attempts": 1, "budget": false,
    ]

    @Test(arguments: Linkage.allCases)
    func `a failing origin is refused, and probed after the open time`(
        linkage: Linkage
    ) async throws {
        let transport = MockTransport { request, number in
            request.url == anywhere && number <= 3 ? .failure(PlugboardError(.transportConnect, "")) : .respond(200)
        }
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock, settings: circuit)
        let request = Request(.get, anywhere)

        var codes: [PlugboardError.Code] = []
        for _ in 0..<3 { codes.append(try await kernel.failure(of: request, passing: clock, news).code) }
        clock.advance(by: .seconds(10))
        codes.append(try await kernel.failure(of: request, passing: clock, news).code)
        let refused = try await kernel.failure(of: request, passing: clock, news)
        clock.advance(by: .seconds(10))
        let probe = try await kernel.send(request, passing: clock, news)
        let after = try await kernel.send(request, passing: clock, news)

        #expect(codes == [.transportConnect, .transportConnect, .retryCircuitOpen, .transportConnect])
        #expect(refused.code == .retryCircuitOpen && refused.plugin == "retry")
        #expect(
            refused.reason
                == "http://origin.test failed 2 times in a row, so requests to it are refused. The next request is allowed in 10s."
        )
        #expect(probe.status == 200 && after.status == 200 && transport.requests.count == 5)
        let changes = news.lines.filter { $0.hasPrefix("circuit") }.compactMap { $0.split(separator: " ").first }
        #expect(
            changes == [
                "circuitOpened", "circuitRefused", "circuitHalfOpened", "circuitOpened", "circuitRefused",
                "circuitHalfOpened", "circuitClosed",
            ])
        #expect(try await kernel.retry.stats().isEmpty)
    }

    @Test(arguments: Linkage.allCases)
    func `only the failing origin is refused`(linkage: Linkage) async throws {
        let kernel = try linkage.kernel(retryPlugin(), failing(2), clock: clock, settings: circuit)

        for _ in 0..<2 { _ = try await kernel.send(Request(.get, anywhere), passing: clock) }
        let refused = try await kernel.failure(of: Request(.get, anywhere), passing: clock)
        let elsewhere = try await kernel.send(Request(.get, "http://origin.test:81/"), passing: clock)

        #expect(refused.code == .retryCircuitOpen)
        #expect(elsewhere.status == 200)
        #expect(
            try await kernel.retry.stats().mapValues(\.circuit)
                == ["http://origin.test": .open(probedIn: .seconds(10))])
    }

    @Test func `a reply to stats without origins is an error`() async {
        let error = await #expect(throws: PlugboardError.self) {
            try await ReplyingCommands(.json("{}")).retry.stats()
        }

        #expect(error?.code == .commandReply)
    }

    @Test(arguments: Linkage.allCases)
    func `a cancelled probe passes its permit to the next request`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in
            switch number {
            case 1, 2: .respond(500)
            case 3: .silence
            default: .respond(200)
            }
        }
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock, settings: circuit)
        for _ in 0..<2 { _ = try await kernel.send(Request(.get, anywhere), passing: clock) }
        clock.advance(by: .seconds(10))

        let probe = kernel.begin(Request(.get, anywhere)) { _ in }
        try await transport.began.opened(for: 3)
        let meanwhile = try await kernel.failure(of: Request(.get, anywhere), passing: clock)
        probe.cancel()
        _ = await #expect(throws: PlugboardError.self) { try await probe.response }
        let next = try await kernel.send(Request(.get, anywhere), passing: clock)

        #expect(meanwhile.code == .retryCircuitOpen && meanwhile.reason.contains("under way"))
        #expect(next.status == 200)
    }

    @Test(arguments: Linkage.allCases, [PlugboardError.Code.transportTLS, "signing.expired"])
    func `a probe with an unknown outcome passes its permit to the next request`(
        linkage: Linkage, code: PlugboardError.Code
    ) async throws {
        let transport = MockTransport { _, number in
            switch number {
            case 1, 2: .respond(500)
            case 3: .failure(PlugboardError(code, ""))
            default: .respond(200)
            }
        }
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock, settings: circuit)
        for _ in 0..<2 { _ = try await kernel.send(Request(.get, anywhere), passing: clock) }
        clock.advance(by: .seconds(10))

        let probe = try await kernel.failure(of: Request(.get, anywhere), passing: clock)
        let next = try await kernel.send(Request(.get, anywhere), passing: clock)

        #expect(probe.code == code)
        #expect(next.status == 200)
    }

    @Test(arguments: Linkage.allCases)
    func `many parallel exchanges share one budget`(linkage: Linkage) async throws {
        let transport = failing(.max)
        let kernel = try linkage.kernel(
            retryPlugin(), transport,
            settings: ["budgetSize": 7, "budgetPerSecond": 0, "budgetShare": 0, "delay": "1ms"])

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 { group.addTask { _ = try await kernel.send(Request(.get, anywhere)) } }
            try await group.waitForAll()
        }

        #expect(transport.requests.count == 64 + 7)
    }
}
