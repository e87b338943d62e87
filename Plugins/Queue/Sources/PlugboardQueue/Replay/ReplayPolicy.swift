import PlugboardKit
import PlugboardQueueOptions

/// Decides what the outcome of a request that was sent again means; a pure value.
struct ReplayPolicy: Sendable {
    var delay = Duration.seconds(1)
    var delayLimit = Duration.seconds(300)
    var attempts = 20
    var rejections = 3
    /// The codes of failures that mean that there is no network.
    var failures: Set<String> = []

    /// How a request was received before it reached a server.
    static let unsentFailures: Set<PlugboardError.Code> = [
        .transportDNS, .transportConnect, .timeoutConnect, .transportUnprocessed,
    ]

    enum Outcome: Equatable {
        /// With the time that the server asks to wait for.
        case response(status: Int, retryAfter: Duration?)
        case failure(PlugboardError.Code)
    }

    enum Verdict: Equatable {
        case done
        /// There is no network: the whole queue waits.
        case offline
        /// The request waits, and the failure counts.
        case later(Duration, Settlement.Counted)
        case dead(PlugboardError.Code)
        /// The sending was ended from outside, which counts for nothing.
        case ended
    }

    /// - Parameters:
    ///   - attempts: The failures of the server before this one.
    ///   - rejections: The refusals before this one.
    ///   - random: Evenly spread over all its values.
    func verdict(_ outcome: Outcome, attempts: Int, rejections: Int, random: UInt64) -> Verdict {
        switch outcome {
        case .response(let status, _) where status < 400: return .done
        // The server is not able to: RFC 9110 §15.5.9, §15.6, RFC 8470 §5.2, RFC 6585 §4.
        case .response(let status, let retryAfter) where status >= 500 || [408, 425, 429].contains(status):
            guard attempts + 1 < self.attempts else { return .dead(.queueAttempts) }
            let own = wait(after: attempts + 1, random: random)
            return .later(min(max(retryAfter ?? .zero, own), delayLimit), .attempt)
        case .failure(let code) where failures.contains(code.name): return .offline
        case .failure(.cancelled), .failure(.shutDown): return .ended
        case .response, .failure:
            guard rejections + 1 < self.rejections else { return .dead(.queueRejected) }
            return .later(wait(after: rejections + 1, random: random), .rejection)
        }
    }

    /// From half of the longest wait to the whole, which doubles with each failure up to the limit.
    func wait(after failures: Int, random: UInt64) -> Duration {
        let base = max(delay.nanoseconds, 1)
        let (doubled, isFar) = base.multipliedReportingOverflow(by: 1 << Int64(min(max(failures, 1), 62) - 1))
        let ceiling = UInt64(max(min(isFar || doubled <= 0 ? .max : doubled, delayLimit.nanoseconds), 1))
        return .nanoseconds(Int64(ceiling / 2 + random.multipliedFullWidth(by: ceiling - ceiling / 2 + 1).high))
    }

    /// An even part of a time, so that many programs do not begin at once.
    static func part(of time: Duration, random: UInt64) -> Duration {
        .nanoseconds(Int64(random.multipliedFullWidth(by: UInt64(max(time.nanoseconds, 0)) + 1).high))
    }
}

extension ReplayPolicy {
    init(_ settings: QueueSettings) {
        self.init(
            delay: settings.delay, delayLimit: max(settings.delay, settings.delayLimit), attempts: settings.attempts,
            rejections: settings.rejections, failures: Set(settings.failures))
    }
}
