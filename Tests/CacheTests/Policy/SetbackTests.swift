import PlugboardKit
import Testing

@testable import PlugboardCache

@Suite struct SetbackTests {
    @Test(arguments: [(1, 1), (2, 2), (3, 4), (6, 32), (7, 60), (8, 60), (100, 60)])
    func `each consecutive failure doubles the delay, up to a minute`(count: Int, seconds: Int) {
        var setback = Setback(now: .zero)
        for _ in 1..<count { setback = Setback(setback, now: setback.until) }

        let next = Setback(count > 1 ? setback : nil, now: .zero)

        #expect(setback.count == count)
        #expect(!setback.forbids(setback.until) && setback.forbids(setback.until - .nanoseconds(1)))
        #expect(setback.forbids(setback.until - .seconds(seconds)))
        #expect(next.until == min(.seconds(1 << min(count > 1 ? count : 0, 10)), .seconds(60)))
    }

    @Test func `a response ends the delay of its key, and of no other`() {
        let setbacks = Setbacks()
        let (one, other) = (CacheKey(text: "one"), CacheKey(text: "other"))
        setbacks.add(one, .zero)
        setbacks.add(other, .zero)

        setbacks.end(one)

        #expect(!setbacks.forbid(one, .zero) && setbacks.forbid(other, .zero))
    }
}
