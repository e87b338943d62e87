import PlugboardKit
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

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

    @Test(arguments: [200, 201, 204])
    func `a status of 2xx is a success`(status: Int) {
        #expect(verdict(.response(status: status, retryAfter: nil)) == .done)
    }

    @Test(arguments: [302, 307, 408, 425, 500, 502])
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

    @Test(arguments: [429, 503])
    func `a server that is overloaded gets nothing for as long as it asks`(status: Int) {
        #expect(
            verdict(.response(status: status, retryAfter: .seconds(3600)), attempts: 99)
                == .unavailable(.seconds(3600), .nothing))
        #expect(verdict(.response(status: status, retryAfter: nil)) == .unavailable(.seconds(1), .attempt))
        #expect(verdict(.response(status: status, retryAfter: nil), attempts: 4) == .dead(.queueAttempts))
    }

    @Test func `a Retry-After is a number of seconds or a date`() {
        #expect(Replayer.wait("120", now: 784_111_000) == .seconds(120))
        #expect(Replayer.wait("Sun, 06 Nov 1994 08:49:37 GMT", now: 784_111_000) == .seconds(777))
        #expect(Replayer.wait("Sun, 06 Nov 1994 08:49:37 GMT", now: 784_200_000) == .zero)
        #expect(Replayer.wait("soon", now: 0) == nil && Replayer.wait("-1", now: 0) == nil)
    }

    @Test(arguments: [
        "transport.tls", "transport.tls.certificate", "retry.circuitOpen", "authentication.refresh",
    ])
    func `a failure without a response makes no request dead`(code: String) {
        let verdict = policy.verdict(
            .failure(PlugboardError.Code(stringLiteral: code)), attempts: 99, rejections: 99, failures: 99, random: .max
        )

        #expect(verdict == .unavailable(.seconds(60), .failure))
    }

    @Test func `only what may have reached the server is touched`() {
        #expect(!ReplayPolicy.mayHaveArrived(.failure(.transportConnect)))
        #expect(!ReplayPolicy.mayHaveArrived(.failure(.transportDNS)))
        #expect(ReplayPolicy.mayHaveArrived(.failure(.transportReset)))
        #expect(ReplayPolicy.mayHaveArrived(.response(status: 503, retryAfter: nil)))
    }

    @Test func `failures of the network pause the queue, and an end counts for nothing`() {
        #expect(verdict(.failure(.transportConnect), attempts: 99) == .offline)
        #expect(verdict(.failure(.queueFile)) == .later(.seconds(1), .failure))
        #expect(verdict(.failure(.queueBody)) == .dead(.queueBody))
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
