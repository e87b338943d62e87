import PlugboardKit
import Testing

@testable import PlugboardQueue

struct ReplayPolicyTests {
    private var policy: ReplayPolicy {
        ReplayPolicy(
            delay: .seconds(1), delayLimit: .seconds(60), attempts: 5, rejections: 3, failures: ["transport.connect"])
    }

    private func verdict(_ outcome: ReplayPolicy.Outcome, attempts: Int = 0, rejections: Int = 0)
        -> ReplayPolicy.Verdict
    {
        policy.verdict(outcome, attempts: attempts, rejections: rejections, random: .max)
    }

    @Test(arguments: [200, 201, 204, 302, 304])
    func `a status below 400 is a success`(status: Int) {
        #expect(verdict(.response(status: status, retryAfter: nil)) == .done)
    }

    @Test(arguments: [408, 425, 429, 500, 503])
    func `a server that is not able to respond is asked again, up to the limit`(status: Int) {
        #expect(verdict(.response(status: status, retryAfter: nil)) == .later(.seconds(1), .attempt))
        #expect(verdict(.response(status: status, retryAfter: .seconds(30))) == .later(.seconds(30), .attempt))
        #expect(verdict(.response(status: status, retryAfter: .seconds(90))) == .later(.seconds(60), .attempt))
        #expect(verdict(.response(status: status, retryAfter: nil), attempts: 4) == .dead(.queueAttempts))
    }

    @Test(arguments: [400, 401, 404, 409, 422])
    func `a refusal is dead after the limit`(status: Int) {
        #expect(verdict(.response(status: status, retryAfter: nil)) == .later(.seconds(1), .rejection))
        #expect(verdict(.response(status: status, retryAfter: nil), rejections: 2) == .dead(.queueRejected))
    }

    @Test func `failures of the network pause the queue, others are refusals, an end counts for nothing`() {
        #expect(verdict(.failure(.transportConnect), attempts: 99) == .offline)
        #expect(verdict(.failure(.transportTLS)) == .later(.seconds(1), .rejection))
        #expect(verdict(.failure(.shutDown)) == .ended)
        #expect(verdict(.failure(.cancelled)) == .ended)
    }

    @Test func `waits double up to the limit, from half to the whole`() {
        #expect(
            (1...8).map { policy.wait(after: $0, random: .max) } == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        #expect(policy.wait(after: 3, random: 0) == .seconds(2))
        #expect(policy.wait(after: .max, random: .max) == .seconds(60))
        #expect(ReplayPolicy.part(of: .seconds(4), random: 0) == .zero)
        #expect(ReplayPolicy.part(of: .seconds(4), random: .max) == .seconds(4))
    }
}
