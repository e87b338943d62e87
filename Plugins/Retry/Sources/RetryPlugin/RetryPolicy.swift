import PlugboardKit

/// Whether a request is repeated after what came of it, and when; a pure value, which the plugin carries out.
struct RetryPolicy: Sendable {
    /// In all, the first included.
    var attempts = 3
    var backoff = Backoff()
    /// No repetition begins later than this after the first attempt.
    var totalTime: Duration?
    var statuses = RetryPolicy.transientStatuses
    var failures = RetryPolicy.transientFailures
    /// Those that may be repeated beside the idempotent ones.
    var methods: Set<Method> = []
    var respectsRetryAfter = true
    var retryAfterLimit = Duration.seconds(60)

    /// Statuses that may pass if one waits; 413 only with `Retry-After` (RFC 9110 §15.5.14).
    static let transientStatuses = statuses(RetrySettings().statuses)

    /// Failures that may pass if one waits. No other is ever repeated, whatever the settings say.
    static let transientFailures = RetrySettings.transientFailures

    /// Failures before the server acted on the request: nothing can be done twice.
    static let unsentFailures = RetrySettings.unsentFailures

    /// Statuses of requests that were refused, not tried: RFC 9110 §15.5.9, §15.5.14, RFC 8470 §5.2, RFC 6585 §4.
    static let refusingStatuses: Set<Int> = [408, 413, 425, 429]

    enum Outcome: Equatable {
        case response(status: Int)
        case failure(PlugboardError.Code)
    }

    /// What is known when an attempt has come to something.
    struct Situation {
        var method: Method
        var hasIdempotencyKey = false
        /// Whether the request's body can begin again; true if there is none.
        var canRepeatBody = true
        var outcome: Outcome
        var serverDelay = ServerDelay()
        /// Attempts so far, this one included.
        var attempt = 1
        /// Since the first attempt began.
        var elapsed = Duration.zero
    }

    enum Decision: Equatable {
        /// Nothing to repeat.
        case pass
        case again(after: Duration, Basis)
        case giveUp(Reason)
    }

    /// Where a delay is from.
    enum Basis: String { case backoff, retryAfter, rateLimit }

    /// Why a request that failed is not repeated.
    enum Reason: String, CaseIterable {
        /// A failure that waiting does not mend, or that is not among those to be repeated.
        case failure
        /// A 413 without `Retry-After`.
        case noRetryAfter
        /// It may have been done already, and must not be done twice.
        case method
        /// The body is a stream that cannot begin again.
        case body
        case attempts, totalTime, retryAfterLimit
        /// The origin's budget is spent; its circuit is not closed.
        case budget, circuit
    }

    /// - Parameter random: Asked for at most once, for a number evenly spread over all its values.
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

    /// RFC 9110 §9.2.2: what is not idempotent is repeated only if it is known that it was not done, or if the server
    /// can tell the repetition from another request.
    private func mayRepeat(_ situation: Situation) -> Bool {
        if situation.hasIdempotencyKey || isRepeatable(situation.method) { return true }
        return switch situation.outcome {
        case .failure(let code): Self.unsentFailures.contains(code)
        case .response(let status): Self.refusingStatuses.contains(status)
        }
    }

    func isRepeatable(_ method: Method) -> Bool { method.isIdempotent || methods.contains(method) }

    /// The server's own delay is taken as it is. None, or one that is over already, asks for the usual one: a
    /// `Retry-After: 0` must not make the client spin.
    private func delay(_ situation: Situation, _ random: () -> UInt64) -> (Duration, Basis) {
        if respectsRetryAfter {
            let asked = situation.serverDelay
            if let delay = asked.retryAfter, delay > .zero { return (delay, .retryAfter) }
            // The draft gives Retry-After precedence.
            if asked.retryAfter == nil, let delay = asked.rateLimit, delay > .zero { return (delay, .rateLimit) }
        }
        return (backoff.delay(before: situation.attempt, random: random()), .backoff)
    }

    /// What an outcome says of the origin as a whole.
    func health(after outcome: Outcome) -> CircuitBreaker.Health {
        switch outcome {
        case .response(let status): status >= 500 && statuses.contains(status) ? .failing : .healthy
        case .failure(let code): Self.transientFailures.contains(code) ? .failing : .unknown
        }
    }
}
