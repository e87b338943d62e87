import PlugboardKit
import PlugboardServerDelay
import Testing

@testable import PlugboardRetry

struct RetryPolicyTests {
    // MARK: What may be repeated

    @Test(arguments: [
        ("GET", true), ("HEAD", true), ("OPTIONS", true), ("TRACE", true), ("PUT", true), ("DELETE", true),
        ("POST", false), ("PATCH", false), ("CONNECT", false), ("QUERY", false), ("get", false), ("", false),
    ])
    func `idempotent methods are repeated after a reset, and others are not`(method: String, again: Bool) {
        let decision = decide(Method(method), .failure(.transportReset))

        #expect(isAgain(decision) == again)
        #expect(again || decision == .giveUp(.method))
    }

    @Test func `a method in the settings is repeated like an idempotent one`() {
        var policy = RetryPolicy()
        policy.methods = ["QUERY"]

        #expect(isAgain(decide("QUERY", .response(status: 500), policy)))
        #expect(decide("POST", .response(status: 500), policy) == .giveUp(.method))
    }

    /// The README's table, row by row, for a POST without a key.
    @Test(arguments: [
        (RetryPolicy.Outcome.response(status: 408), true, true), (.response(status: 413), false, true),
        (.response(status: 425), true, true), (.response(status: 429), true, true),
        (.response(status: 500), false, false),
        (.response(status: 502), false, false), (.response(status: 503), false, false),
        (.response(status: 504), false, false),
        (.failure(.transportDNS), true, true), (.failure(.transportConnect), true, true),
        (.failure(.timeoutConnect), true, true),
        (.failure(.transportReset), false, false), (.failure(.timeoutIdle), false, false),
        (.failure(.timeoutAttempt), false, false),
    ])
    func `a request that is not idempotent is repeated only if it was not processed`(
        outcome: RetryPolicy.Outcome, again: Bool, againWithRetryAfter: Bool
    ) {
        let plain = decide(.post, outcome)
        let told = decide(.post, outcome) { $0.serverDelay.retryAfter = .seconds(1) }

        #expect(isAgain(plain) == again)
        #expect(isAgain(told) == againWithRetryAfter)
    }

    @Test(arguments: [500, 502, 503, 504, 429])
    func `a request with an Idempotency-Key is repeated with any method`(status: Int) {
        let decision = decide(.post, .response(status: status)) { $0.hasIdempotencyKey = true }

        #expect(isAgain(decision))
    }

    @Test func `a body that cannot be rewound prevents every repetition`() {
        for outcome in [
            RetryPolicy.Outcome.response(status: 503), .failure(.transportReset), .failure(.transportConnect),
        ] {
            #expect(decide(.put, outcome) { $0.canRepeatBody = false } == .giveUp(.body))
        }
    }

    // MARK: Temporary outcomes

    @Test(arguments: 100...599)
    func `only the listed statuses are repeated`(status: Int) {
        let isListed = [408, 425, 429, 500, 502, 503, 504].contains(status)

        let decision = decide(.get, .response(status: status))

        #expect(isAgain(decision) == isListed)
        #expect(isListed || decision == (status == 413 ? .giveUp(.noRetryAfter) : .pass))
    }

    @Test func `a 413 is repeated only with Retry-After`() {
        #expect(decide(.get, .response(status: 413)) == .giveUp(.noRetryAfter))
        #expect(
            decide(.get, .response(status: 413)) { $0.serverDelay.retryAfter = .seconds(2) }
                == .again(after: .seconds(2), .retryAfter))
    }

    @Test(arguments: [
        PlugboardError.Code.transportTLS, .transportTLSCertificate, .transportProtocol, .transportProxy,
        .timeoutExchange, .cancelled, .requestURL,
        .requestOption, .bodyRead, .bodyRewind, .pluginFailed, .pluginFault, .runaway, .shutDown, .ignored, .queued,
        "redirect.limit", "com.acme.sign", "",
    ])
    func `permanent failures are never repeated, whatever the settings`(
        code: PlugboardError.Code
    ) {
        var policy = RetryPolicy()
        policy.failures.insert(code)

        #expect(decide(.get, .failure(code), policy) == .giveUp(.failure))
    }

    @Test func `failures that the settings omit are not repeated`() {
        var policy = RetryPolicy()
        policy.failures = [.transportConnect]

        #expect(isAgain(decide(.get, .failure(.transportConnect), policy)))
        #expect(decide(.get, .failure(.transportReset), policy) == .giveUp(.failure))
    }

    // MARK: Limits

    @Test(arguments: [(1, 1, false), (1, 2, true), (2, 2, false), (2, 3, true), (3, 3, false), (4, 3, false)])
    func `the first attempt counts`(attempt: Int, limit: Int, again: Bool) {
        var policy = RetryPolicy()
        policy.attempts = limit

        let decision = decide(.get, .response(status: 503), policy) { $0.attempt = attempt }

        #expect(isAgain(decision) == again)
        #expect(again || decision == .giveUp(.attempts))
    }

    @Test(arguments: [(Duration.seconds(4), true), (.seconds(5), true), (.seconds(6), false), (.seconds(11), false)])
    func `a delay that would end after the total time is refused`(elapsed: Duration, again: Bool) {
        var policy = RetryPolicy()
        policy.totalTime = .seconds(10)

        let decision = decide(.get, .response(status: 503), policy) {
            $0.elapsed = elapsed
            $0.serverDelay.retryAfter = .seconds(5)
        }

        #expect(decision == (again ? .again(after: .seconds(5), .retryAfter) : .giveUp(.totalTime)))
    }

    // MARK: Delays

    @Test(arguments: [
        (ServerDelay(retryAfter: .seconds(7)), RetryPolicy.Decision.again(after: .seconds(7), .retryAfter)),
        (ServerDelay(rateLimit: .seconds(8)), .again(after: .seconds(8), .rateLimit)),
        (ServerDelay(retryAfter: .seconds(7), rateLimit: .seconds(8)), .again(after: .seconds(7), .retryAfter)),
        (ServerDelay(retryAfter: .seconds(60)), .again(after: .seconds(60), .retryAfter)),
        (ServerDelay(retryAfter: .seconds(61)), .giveUp(.retryAfterLimit)),
        (ServerDelay(rateLimit: ServerDelay.limit), .giveUp(.retryAfterLimit)),
    ])
    func `the server's delay is used unchanged, up to the limit`(
        delay: ServerDelay, expected: RetryPolicy.Decision
    ) {
        #expect(decide(.get, .response(status: 429)) { $0.serverDelay = delay } == expected)
    }

    @Test(arguments: [
        ServerDelay(), ServerDelay(retryAfter: .zero), ServerDelay(rateLimit: .zero),
        ServerDelay(retryAfter: .zero, rateLimit: .seconds(9)),
    ])
    func `without a delay of the server, or with zero, the usual delay is used`(delay: ServerDelay) {
        let decision = decide(.get, .response(status: 429)) { $0.serverDelay = delay }

        #expect(decision == .again(after: .milliseconds(100), .backoff))
    }

    @Test func `the server's delay is ignored if the policy says so`() {
        var policy = RetryPolicy()
        policy.respectsRetryAfter = false

        let decision = decide(.get, .response(status: 503), policy) { $0.serverDelay.retryAfter = .seconds(3600) }

        #expect(decision == .again(after: .milliseconds(100), .backoff))
    }

    @Test(arguments: [
        (RetryPolicy.Outcome.response(status: 200), CircuitBreaker.Health.healthy), (.response(status: 404), .healthy),
        (.response(status: 429), .healthy), (.response(status: 501), .healthy), (.response(status: 500), .failing),
        (.response(status: 503), .failing), (.failure(.transportConnect), .failing), (.failure(.timeoutIdle), .failing),
        (.failure(.transportTLS), .unknown), (.failure(.cancelled), .unknown), (.failure("com.acme.sign"), .unknown),
    ])
    func `outcomes are healthy, failing or unknown for the origin`(
        outcome: RetryPolicy.Outcome, health: CircuitBreaker.Health
    ) {
        #expect(RetryPolicy().health(after: outcome) == health)
    }

    /// Decides with the longest delay that can be drawn.
    private func decide(
        _ method: PlugboardMessages.Method, _ outcome: RetryPolicy.Outcome, _ policy: RetryPolicy = RetryPolicy(),
        _ edit: (inout RetryPolicy.Situation) -> Void = { _ in }
    ) -> RetryPolicy.Decision {
        var situation = RetryPolicy.Situation(method: method, outcome: outcome)
        edit(&situation)
        return policy.decision(for: situation, drawing: { .max })
    }

    private func isAgain(_ decision: RetryPolicy.Decision) -> Bool {
        if case .again = decision { true } else { false }
    }
}
