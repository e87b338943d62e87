import PlugboardKit
import PlugboardRetryOptions
import PlugboardServerDelay

/// Decides whether and when a request is repeated after an outcome; a pure value.
struct RetryPolicy: Sendable {
    /// The attempts in all, the first included.
    var attempts = 3
    var backoff = Backoff()
    /// No repetition begins later than this after the first attempt.
    var totalTime: Duration?
    var statuses = RetryPolicy.transientStatuses
    var failures = RetryPolicy.transientFailures
    /// Methods that may be repeated in addition to the idempotent ones.
    var methods: Set<Method> = []
    var respectsRetryAfter = true
    var retryAfterLimit = Duration.seconds(60)

    /// Statuses that may be temporary; 413 only with `Retry-After` (RFC 9110 §15.5.14).
    static let transientStatuses = statuses(RetrySettings().statuses)

    /// Failures that may be temporary. No other failure is ever repeated, whatever the settings.
    static let transientFailures = RetrySettings.transientFailures

    /// Failures before the server processed the request, so that a repetition cannot have an effect twice.
    static let unsentFailures: Set<PlugboardError.Code> = [
        .transportDNS, .transportConnect, .timeoutConnect, .transportUnprocessed,
    ]

    /// Statuses of requests that were refused unprocessed: RFC 9110 §15.5.9, §15.5.14, RFC 8470 §5.2, RFC 6585 §4.
    static let refusingStatuses: Set<Int> = [408, 413, 425, 429]

    enum Outcome: Equatable {
        case response(status: Int)
        case failure(PlugboardError.Code)
    }

    /// What is known when an attempt has ended.
    struct Situation {
        var method: Method
        var hasIdempotencyKey = false
        /// Whether the request's body can be rewound; true without a body.
        var canRepeatBody = true
        var outcome: Outcome
        var serverDelay = ServerDelay()
        /// Attempts so far, this one included.
        var attempt = 1
        /// The time since the first attempt began.
        var elapsed = Duration.zero
    }

    enum Decision: Equatable {
        /// There is nothing to repeat.
        case pass
        case again(after: Duration, Basis)
        case giveUp(Reason)
    }

    /// The origin of a delay.
    enum Basis: String { case backoff, retryAfter, rateLimit }

    /// Why a failed request is not repeated.
    enum Reason: String, CaseIterable {
        /// The failure is permanent, or is not among those to be repeated.
        case failure
        /// The status is 413, without `Retry-After`.
        case noRetryAfter
        /// The server may have processed the request, and its method is not idempotent.
        case method
        /// The body is a stream that cannot be rewound.
        case body
        case attempts, totalTime, retryAfterLimit
        /// The origin's budget is spent; its circuit is not closed.
        case budget, circuit
    }

    /// - Parameter random: Called at most once, for a number from an even distribution over all values.
    func decision(for situation: Situation, drawing random: () -> UInt64) -> Decision {
        switch situation.outcome {
        case .response(let status):
            guard statuses.contains(status) else { return .pass }
            if status == 413, situation.serverDelay.retryAfter == nil { return .giveUp(.noRetryAfter) }
        case .failure(let code):
            guard failures.contains(code), Self.transientFailures.contains(code) else { return .giveUp(.failure) }
        }
        guard mayRepeat(situation) else { return .giveUp(.method) }
        guard situation.canRepeatBody else { return .giveUp(.body) }
        guard situation.attempt < attempts else { return .giveUp(.attempts) }
        let (delay, basis) = delay(situation, random)
        if basis != .backoff, delay > retryAfterLimit { return .giveUp(.retryAfterLimit) }
        if let totalTime, situation.elapsed + delay > totalTime { return .giveUp(.totalTime) }
        return .again(after: delay, basis)
    }

    /// RFC 9110 §9.2.2: a request that is not idempotent is repeated only if the server has not processed it, or can
    /// recognize the repetition by its key.
    private func mayRepeat(_ situation: Situation) -> Bool {
        if situation.hasIdempotencyKey || isRepeatable(situation.method) { return true }
        return switch situation.outcome {
        case .failure(let code): Self.unsentFailures.contains(code)
        case .response(let status): Self.refusingStatuses.contains(status)
        }
    }

    func isRepeatable(_ method: Method) -> Bool { method.isIdempotent || methods.contains(method) }

    /// The server's delay is used unchanged. Without one, or with zero, the usual delay is used, so that `Retry-After:
    /// 0` does not cause a loop without delays.
    private func delay(_ situation: Situation, _ random: () -> UInt64) -> (Duration, Basis) {
        if respectsRetryAfter {
            let asked = situation.serverDelay
            if let delay = asked.retryAfter, delay > .zero { return (delay, .retryAfter) }
            // The draft gives Retry-After precedence.
            if asked.retryAfter == nil, let delay = asked.rateLimit, delay > .zero { return (delay, .rateLimit) }
        }
        return (backoff.delay(before: situation.attempt, random: random()), .backoff)
    }

    /// What an outcome means for the origin as a whole.
    func health(after outcome: Outcome) -> CircuitBreaker.Health {
        switch outcome {
        case .response(let status): status >= 500 && statuses.contains(status) ? .failing : .healthy
        case .failure(let code): Self.transientFailures.contains(code) ? .failing : .unknown
        }
    }
}
