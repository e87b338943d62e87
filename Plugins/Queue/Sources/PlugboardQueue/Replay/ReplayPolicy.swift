import PlugboardKit
import PlugboardQueueOptions

/// Decides what the outcome of a request that was sent again means; a pure value.
struct ReplayPolicy: Sendable {
    var delay = Duration.seconds(1)
    var delayLimit = Duration.seconds(300)
    var attempts = 20
    var rejections = 3
    /// The codes of failures that mean that there is no network.
    var failures: Set<PlugboardError.Code> = []

    /// The codes of failures before the request has reached the server.
    static let unsentFailures: Set<PlugboardError.Code> = [
        .transportDNS, .transportConnect, .timeoutConnect, .transportUnprocessed, .transportTLSCertificate,
        "retry.circuitOpen",
    ]

    enum Outcome: Equatable {
        /// A response, with the time that the server asks the client to wait.
        case response(status: Int, retryAfter: Duration?)
        case failure(PlugboardError.Code)
    }

    enum Verdict: Equatable {
        case done
        /// There is no network to the origin: all its requests wait.
        case offline
        /// The origin cannot serve now: all its requests wait, for at least as long as the server asks.
        case unavailable(Duration, Settlement.Counted)
        /// The request waits, and the failure counts.
        case later(Duration, Settlement.Counted)
        case dead(PlugboardError.Code)
        /// The sending was ended from outside, which is not counted.
        case ended
    }

    /// - Parameters:
    ///   - attempts: The failures of the server before this one.
    ///   - rejections: The refusals before this one.
    ///   - random: A random number, evenly distributed.
    func verdict(_ outcome: Outcome, attempts: Int, rejections: Int, failures: Int = 0, random: UInt64) -> Verdict {
        switch outcome {
        case .response(let status, _) where (200..<300).contains(status): return .done
        // RFC 9110 §10.2.3, §15.6.4, RFC 6585 §4. The time that the server asks for is obeyed, and not counted.
        case .response(let status, .some(let retryAfter)) where status == 503 || status == 429:
            return .unavailable(min(retryAfter, ReplayPolicy.longestPause), .nothing)
        case .response(let status, nil) where status == 503 || status == 429:
            guard attempts + 1 < self.attempts else { return .dead(.queueAttempts) }
            return .unavailable(wait(after: attempts + 1, random: random), .attempt)
        // The server is unable to respond, or another one did: RFC 9110 §15.4, §15.5.9, §15.6, RFC 8470 §5.2.
        case .response(let status, let retryAfter) where !(400..<500).contains(status) || [408, 425].contains(status):
            guard attempts + 1 < self.attempts else { return .dead(.queueAttempts) }
            let own = wait(after: attempts + 1, random: random)
            return .later(min(max(retryAfter ?? .zero, own), delayLimit), .attempt)
        case .failure(let code) where self.failures.contains(code): return .offline
        case .failure(.cancelled), .failure(.shutDown): return .ended
        // This process could not read the body, so the failure does not count for the origin.
        case .failure(.queueFile): return .later(wait(after: failures + 1, random: random), .failure)
        case .failure(.queueBody): return .dead(.queueBody)
        // Without a response, it is not known whether the request itself is the cause.
        case .failure: return .unavailable(wait(after: failures + 1, random: random), .failure)
        case .response:
            guard rejections + 1 < self.rejections else { return .dead(.queueRejected) }
            return .later(wait(after: rejections + 1, random: random), .rejection)
        }
    }

    /// Whether a request with this outcome may have reached the server.
    static func mayHaveArrived(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .response: true
        case .failure(let code): !unsentFailures.contains(code) && code != .queueFile && code != .queueBody
        }
    }

    /// The longest Retry-After that is obeyed.
    static let longestPause = Duration.seconds(86_400)

    /// A random time from half of the wait to the whole. The wait doubles with each failure up to the limit.
    func wait(after failures: Int, random: UInt64) -> Duration {
        let base = max(delay.nanoseconds, 1)
        let (doubled, isFar) = base.multipliedReportingOverflow(by: 1 << Int64(min(max(failures, 1), 62) - 1))
        let ceiling = UInt64(max(min(isFar || doubled <= 0 ? .max : doubled, delayLimit.nanoseconds), 1))
        return .nanoseconds(Int64(ceiling / 2 + random.multipliedFullWidth(by: ceiling - ceiling / 2 + 1).high))
    }

    /// A random part of a time, so that many programs do not begin at once.
    static func part(of time: Duration, random: UInt64) -> Duration {
        .nanoseconds(Int64(random.multipliedFullWidth(by: UInt64(max(time.nanoseconds, 0)) + 1).high))
    }
}

extension ReplayPolicy {
    init(_ settings: QueueSettings) {
        self.init(
            delay: settings.delay, delayLimit: max(settings.delay, settings.delayLimit), attempts: settings.attempts,
            rejections: settings.rejections, failures: settings.failures)
    }
}
