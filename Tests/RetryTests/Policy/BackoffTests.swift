import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardRetry

struct BackoffTests {
    @Test(arguments: [
        (1, Duration.milliseconds(100)), (2, .milliseconds(200)), (3, .milliseconds(400)), (7, .milliseconds(6400)),
        (8, .seconds(10)), (64, .seconds(10)), (1_000_000, .seconds(10)), (Int.max, .seconds(10)),
        (0, .milliseconds(100)), (Int.min, .milliseconds(100)),
    ])
    func `the longest delay doubles up to the limit`(repetition: Int, ceiling: Duration) {
        #expect(Backoff().ceiling(before: repetition) == ceiling)
        #expect(Backoff().delay(before: repetition, random: .max) == ceiling)
        #expect(Backoff().delay(before: repetition, random: 0) == .zero)
    }

    @Test func `delays are spread evenly from zero to the longest`() {
        var random = SeededRandom(seed: 1)
        var quarters = [0, 0, 0, 0]

        for _ in 0..<4000 {
            let delay = Backoff().delay(before: 1, random: random.next())
            quarters[min(Int(delay / .milliseconds(25)), 3)] += 1
        }

        #expect(quarters.allSatisfy { (900...1100).contains($0) }, "\(quarters)")
    }

    @Test(arguments: [UInt64.zero, .max])
    func `without jitter, each delay is the longest`(random: UInt64) {
        let backoff = Backoff(hasJitter: false)

        #expect(backoff.delay(before: 2, random: random) == .milliseconds(200))
        #expect(backoff.delay(before: 8, random: random) == .seconds(10))
    }

    @Test(arguments: [
        (Duration.zero, Duration.seconds(10)), (.seconds(10), .zero), (.seconds(-1), .seconds(10)),
        (.seconds(10), .seconds(-1)),
    ])
    func `a base or limit of zero gives no delay`(base: Duration, limit: Duration) {
        #expect(Backoff(base: base, limit: limit).delay(before: 5, random: .max) == .zero)
    }

    @Test func `delays beyond 64 bits are clamped`() {
        let backoff = Backoff(base: .seconds(Int64.max), limit: .seconds(Int64.max))

        #expect(backoff.delay(before: 60, random: .max) == .nanoseconds(Int64.max))
    }
}
