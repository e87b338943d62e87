import TestSupport
import Testing

@testable import PlugboardLimit

struct RateWindowTests {
    private let second: Int64 = 1_000_000_000

    @Test(arguments: [
        ("100/s", 100, 1), ("600/m", 600, 60), ("5000/h", 5000, 3600), ("1/d", 1, 86_400), ("50/10s", 50, 10),
        ("7/2m", 7, 120),
    ])
    func `a rate is a number and a time`(text: String, count: Int, seconds: Int64) throws {
        let rate = try #require(Rate(text))

        #expect(rate.count == count && rate.period == seconds * second && rate.text == text)
    }

    @Test(arguments: [
        "", "/", "100", "100/", "/s", "0/s", "-1/s", "1.5/s", "100/x", "100/0s", "100/50ms", "100/2d", "1/s/s", " 1/s",
        "1000000001/s", "99999999999999999999/s", "1/99999999999999999999h",
    ])
    func `what is no rate is refused`(text: String) {
        #expect(Rate(text) == nil)
    }

    @Test func `a rate is used up by as many requests as it says, and says when there is room again`() throws {
        var window = RateWindow(try #require(Rate("3/s")))

        for _ in 0..<3 { window.add(at: second) }

        #expect(window.left(at: second) == 0)
        let found = window.opening(after: 0, at: second)
        let opening = try #require(found)
        #expect(opening > 2 * second && opening <= 2 * second + second / 32 + 1)
        #expect(window.opening(after: 0, at: opening - 1) == opening)
        #expect(window.opening(after: 0, at: opening) == nil && window.left(at: opening) == 3)
    }

    @Test func `what is promised counts, and its end is not known`() throws {
        var window = RateWindow(try #require(Rate("3/s")))
        window.add(at: 0)

        #expect(window.opening(after: 1, at: 0) == nil)
        #expect(window.opening(after: 2, at: 0) != nil)
        #expect(window.opening(after: 3, at: 0) == Int64.max)
    }

    @Test func `a time that goes back gives no room back`() throws {
        var window = RateWindow(try #require(Rate("2/s")))
        window.add(at: 5 * second)

        window.add(at: second)

        #expect(window.left(at: 0) == 0 && window.left(at: 5 * second) == 0)
        #expect(window.left(at: 7 * second) == 2)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `no time of the period's length ever has more requests, and those who wait use 95 of 100`(seed: UInt64) throws
    {
        var random = SeededRandom(seed: seed)
        let rate = try #require(Rate("100/s"))
        var window = RateWindow(rate)
        var (times, now): ([Int64], Int64) = ([], Int64.random(in: 0...second, using: &random))

        while times.count < 5000 {
            if let opening = window.opening(after: 0, at: now) {
                now = opening + Int64.random(in: 0...1_000_000, using: &random)
            } else {
                window.add(at: now)
                times.append(now)
                now += Int64.random(in: 0...2_000_000, using: &random)
            }
        }

        for index in 100..<times.count { #expect(times[index] - times[index - 100] >= second) }
        let seconds = Double(times[4999] - times[0]) / 1e9
        #expect(5000 / seconds >= 95)
    }
}
