import PlugboardKit
import Testing

@testable import PlugboardCore

@Suite struct AttemptsTests {
    private func attempts(_ count: Int) -> Attempts {
        var attempts = Attempts()
        for _ in 0..<count { attempts.begin("http://a.test/") }
        return attempts
    }

    @Test func `before the first attempt errors carry no number`() {
        #expect(attempts(0).last == nil)
        #expect(attempts(2).last == 2)
    }

    @Test func `the reason of an attempt is first, then repeat or resend`() {
        var attempts = attempts(1)
        let first = attempts.reason
        attempts.countRepeat()
        attempts.begin("http://a.test/")
        let second = attempts.reason
        attempts.beginSeries()
        attempts.begin("http://a.test/")

        #expect((first, second, attempts.reason) == ("first", "repeat", "resend"))
        #expect(!attempts.needsFreshConnection)
    }

    @Test(arguments: [
        (PlugboardError.Code.transportUnprocessed, false, true), (.transportUnprocessed, true, true),
        (.transportStale, true, true), (.transportStale, false, false), (.transportReset, true, false),
    ])
    func `a request is repeated only if that cannot do anything twice`(
        code: PlugboardError.Code, isIdempotent: Bool, expected: Bool
    ) {
        #expect(attempts(1).mayRepeat(after: code, isIdempotent: isIdempotent, limit: 50) == expected)
    }

    @Test func `a request is repeated three times in a row at most, and after a resend again`() {
        var attempts = attempts(1)
        for _ in 0..<Attempts.repeatLimit { attempts.countRepeat() }
        let fourth = attempts.mayRepeat(after: .transportUnprocessed, isIdempotent: true, limit: 50)
        attempts.beginSeries()

        #expect(!fourth)
        #expect(attempts.mayRepeat(after: .transportUnprocessed, isIdempotent: true, limit: 50))
    }

    @Test func `the limit of attempts ends repeats and resends`() {
        var attempts = attempts(2)

        let mayRepeat = attempts.mayRepeat(after: .transportUnprocessed, isIdempotent: true, limit: 2)
        let (first, second) = (attempts.countResend(limit: 2), attempts.countResend(limit: 2))

        #expect(!mayRepeat)
        #expect((first, second) == (true, false))
    }
}
