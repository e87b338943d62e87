import PlugboardKit
import PlugboardServerDelay
import TestSupport
import Testing

@testable import PlugboardRetry

/// Random servers, settings and clocks.
struct RandomizedPolicyTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `no decision traps, waits longer than allowed, or repeats what must not be repeated`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var repeated = 0

        for _ in 0..<5000 {
            let policy = policy(&random)
            let situation = situation(&random)
            let decision = policy.decision(for: situation) { random.next() }

            guard case .again(let delay, let basis) = decision else { continue }
            repeated += 1
            #expect(delay >= .zero)
            #expect(delay <= (basis == .backoff ? policy.backoff.limit : policy.retryAfterLimit))
            #expect(situation.attempt < policy.attempts && situation.canRepeatBody)
            #expect(policy.totalTime.map { situation.elapsed + delay <= $0 } ?? true)
            if case .failure(let code) = situation.outcome { #expect(RetryPolicy.transientFailures.contains(code)) }
        }

        #expect(repeated > 100)
    }

    private func policy(_ random: inout SeededRandom) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.attempts = Int.random(in: 1...100, using: &random)
        policy.backoff = Backoff(base: duration(&random), limit: duration(&random))
        policy.totalTime = Bool.random(using: &random) ? duration(&random) : nil
        policy.retryAfterLimit = duration(&random)
        policy.respectsRetryAfter = Bool.random(using: &random)
        return policy
    }

    private func situation(_ random: inout SeededRandom) -> RetryPolicy.Situation {
        let codes: [PlugboardError.Code] = [
            .transportConnect, .transportReset, .timeoutIdle, .transportTLS, .cancelled, "x",
        ]
        let methods: [PlugboardMessages.Method] = [.get, .put, .post, ""]
        let fields = fields(&random)
        var situation = RetryPolicy.Situation(
            method: methods.randomElement(using: &random) ?? .get,
            outcome: Bool.random(using: &random)
                ? .response(status: Int.random(in: 400...599, using: &random))
                : .failure(codes.randomElement(using: &random) ?? .transportReset))
        if Bool.random(using: &random) { situation.outcome = .response(status: 503) }
        situation.hasIdempotencyKey = Bool.random(using: &random)
        situation.canRepeatBody = Int.random(in: 0..<10, using: &random) > 0
        situation.serverDelay = ServerDelay(
            reading: fields, wallClock: .nanoseconds(Int64.random(in: .min ... .max, using: &random)))
        situation.attempt = Int.random(in: 0...120, using: &random)
        situation.elapsed = duration(&random)
        return situation
    }

    /// From zero to three hundred years, small and large durations alike.
    private func duration(_ random: inout SeededRandom) -> Duration {
        .nanoseconds(Int64.max >> Int64.random(in: 0...63, using: &random))
    }

    private func fields(_ random: inout SeededRandom) -> Fields {
        let words = [
            "0", "1", "30", "-1", "99999999999999999999", "Sun, 06 Nov 1994 08:49:37 GMT", ";", ",", "r=0", "t=5",
            #""default""#, "(", ")", "\"", " ", "remaining=0", "reset=9", "w=60", "\u{ff}", "@", "%",
        ]
        var fields = Fields()
        for name in ["Retry-After", "RateLimit", "RateLimit-Policy", "RateLimit-Remaining", "RateLimit-Reset"]
        where Int.random(in: 0..<3, using: &random) == 0 {
            let count = Int.random(in: 0...5, using: &random)
            let value = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined()
            fields.append(FieldName(name), value)
        }
        return fields
    }
}
