import TestSupport
import Testing

@testable import PlugboardDownloads

struct SegmentPlanTests {
    // MARK: Ranges

    @Test func `ranges that touch or overlap become one`() {
        var ranges = ByteRanges()
        for range in [10..<20, 40..<50, 20..<25, 0..<5, 24..<41, 60..<60] { ranges.insert(range) }

        #expect(ranges.ranges == [0..<5, 10..<50])
        #expect(ranges.count == 45 && ranges.prefix == 5)
        #expect(ranges.missing(below: 60) == [5..<10, 50..<60])
        #expect(ranges.missing(below: 30) == [5..<10])
        #expect(ranges.clipped(to: 12).ranges == [0..<5, 10..<12])
    }

    @Test func `ranges in any order are those of a set of numbers`() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<200 {
            var ranges = ByteRanges()
            var numbers: Set<Int> = []
            for _ in 0..<12 {
                let first = Int.random(in: 0..<60, using: &random)
                let range = first..<first + Int.random(in: 0..<9, using: &random)
                ranges.insert(range)
                numbers.formUnion(range)
            }
            #expect(Set(ranges.ranges.joined()) == numbers && ranges.count == numbers.count)
            #expect(Set(ranges.missing(below: 70).joined()) == Set(0..<70).subtracting(numbers))
        }
    }

    // MARK: Plans

    @Test func `the largest claim is divided, as long as its halves are large enough`() {
        var plan = SegmentPlan(length: 1000, received: ByteRanges(), minimum: 200)

        let claims = (0...4).map { plan.claim($0) }
        #expect(claims == [0..<1000, 500..<1000, 250..<500, 750..<1000, nil])
        expectTake(&plan, 300, 0, 0..<250)
    }

    @Test func `what is missing of an earlier download comes first`() {
        var received = ByteRanges(0..<100)
        received.insert(300..<400)
        var plan = SegmentPlan(length: 1000, received: received, minimum: 100)

        let claims = (0...2).map { plan.claim($0) }
        #expect(claims == [100..<300, 400..<1000, 700..<1000])
    }

    @Test func `a claim that was given up goes to another worker, or to the response before it`() {
        var plan = SegmentPlan(length: 1000, received: ByteRanges(), minimum: 100)
        _ = plan.claim(0)
        plan.covers(0, upTo: 1000)
        _ = plan.claim(1)

        plan.giveUp(1)
        expectTake(&plan, 600, 0, 0..<500)
        let goesOn = plan.goesOn(0)
        #expect(goesOn)
        expectTake(&plan, 600, 0, 500..<1000)
        let claim = plan.claim(1)
        #expect(claim == nil)
    }

    @Test func `a response goes on with bytes that another worker has claimed and not begun with`() {
        var plan = SegmentPlan(length: 1000, received: ByteRanges(), minimum: 100)
        _ = plan.claim(0)
        plan.covers(0, upTo: 1000)
        _ = (plan.claim(1), plan.claim(2))
        plan.covers(1, upTo: 1000)
        expectTake(&plan, 10, 1, 500..<510)

        expectTake(&plan, 600, 0, 0..<250)
        expectTake(&plan, 600, 0, 250..<500)
        // The other has begun, and this one's response is released.
        expectTake(&plan, 600, 0, 500..<500)
        expectTake(&plan, 600, 2, 250..<250)
    }

    @Test func `a response whose claim was divided, and then taken by another, brings nothing`() {
        var plan = SegmentPlan(length: 1000, received: ByteRanges(), minimum: 100)
        _ = (plan.claim(0), plan.claim(1), plan.claim(2), plan.claim(3))
        plan.covers(0, upTo: 1000)
        for range in [0..<250, 250..<500, 500..<750] { expectTake(&plan, 250, 0, range) }

        // It was requested from 500 to the end, before the last quarter was claimed.
        plan.covers(1, upTo: 1000)
        expectTake(&plan, 250, 1, 500..<500)
        let goesOn = plan.goesOn(1)
        #expect(!goesOn)
        expectTake(&plan, 250, 3, 750..<1000)
    }

    @Test func `bytes of another offset than the claim's are not taken, and the claim is free again`() {
        var plan = SegmentPlan(length: 1000, received: ByteRanges(), minimum: 100)
        _ = plan.claim(0)

        let taken = plan.take(100, at: 5, 0)
        let goesOn = plan.goesOn(0)
        let claim = plan.claim(1)

        #expect(taken.isEmpty && !goesOn && claim == 0..<1000)
    }

    @Test func `bytes that were wrong are received once more`() {
        var plan = SegmentPlan(length: 1000, received: ByteRanges(), minimum: 100)
        _ = plan.claim(0)
        let taken = plan.take(1000, at: 0, 0)
        plan.insert(taken)
        let isComplete = plan.isComplete

        plan.lose(300..<400)
        let claim = plan.claim(1)

        #expect(isComplete && !plan.isComplete && claim == 300..<400)
    }

    /// A worker of the random test.
    private enum Worker {
        case idle
        case waiting(Range<Int>)
        /// The offset of the next byte of its response, and that after the last.
        case receiving(next: Int, end: Int)
    }

    @Test(arguments: 1...8)
    func `workers that come, break and end in any order receive each byte once, at its own offset`(count: Int) {
        var random = SeededRandom(seed: 9)
        for _ in 0..<100 {
            var plan = SegmentPlan(length: 5000, received: ByteRanges(1000..<1200), minimum: 50)
            // Each byte is the offset that the server has it at.
            var file = [Int?](repeating: nil, count: 5000)
            for index in 1000..<1200 { file[index] = index }
            var workers = [Worker](repeating: .idle, count: count)
            var isTwice = false
            var steps = 0
            while !plan.isComplete, steps < 20_000 {
                steps += 1
                let number = Int.random(in: 0..<count, using: &random)
                if Int.random(in: 0..<20, using: &random) == 0 {
                    plan.giveUp(number)
                    workers[number] = .idle
                    continue
                }
                switch workers[number] {
                case .idle:
                    if let range = plan.claim(number) { workers[number] = .waiting(range) }
                case .waiting(let range):
                    let upper = range.upperBound + Int.random(in: -20...500, using: &random)
                    let end = min(max(upper, range.lowerBound + 1), 5000)
                    plan.covers(number, upTo: end)
                    workers[number] = .receiving(next: range.lowerBound, end: end)
                case .receiving(let next, let end):
                    let piece = min(Int.random(in: 1...300, using: &random), end - next)
                    let range = plan.take(piece, at: next, number)
                    for (index, offset) in zip(range, next...) {
                        isTwice = isTwice || file[index] != nil
                        file[index] = offset
                    }
                    plan.insert(range)
                    let goesOn = range.count == piece && next + piece < end && plan.goesOn(number)
                    workers[number] = goesOn ? .receiving(next: next + piece, end: end) : .idle
                }
            }
            #expect(plan.isComplete && !isTwice)
            #expect(file == (0..<5000).map { $0 })
        }
    }

    private func expectTake(_ plan: inout SegmentPlan, _ count: Int, _ worker: Int, _ range: Range<Int>) {
        let taken = plan.take(count, at: range.lowerBound, worker)
        #expect(taken == range)
    }

    // MARK: Trials and speed

    /// Servers that bring a rate for each request, up to one for all.
    private struct Link {
        let request: Double
        var all = Double.infinity
        /// Whether all bytes of a second come in its first tenth.
        var isBursty = false

        /// The bytes that so many requests receive in a tenth of a second.
        func count(_ running: Int, inTenth tenth: Int) -> Int {
            let rate = min(Double(running) * request, all)
            guard isBursty else { return Int(rate / 10) }
            return tenth % 10 == 0 ? Int(rate) : 0
        }
    }

    @Test(
        arguments: [
            (Link(request: 1000), 8, 8), (Link(request: 1000, isBursty: true), 8, 8),
            // The link is full with two, and with one.
            (Link(request: 1000, all: 2000), 8, 2), (Link(request: 1000, all: 1000), 7, 1),
            // Whether they help does not show then.
            (Link(request: 1000, all: 2000, isBursty: true), 8, 8),
            // A quarter of what is possible is enough, and less is not.
            (Link(request: 1000, all: 1260), 2, 2), (Link(request: 1000, all: 1240), 2, 1),
            (Link(request: 0), 4, 4), (Link(request: 1000), 1, 1),
        ] as [(Link, Int, Int)])
    private func `requests that do not help are given up, and those that do are held for two tenths of a second`(
        link: Link, begun: Int, left: Int
    ) {
        var now = ContinuousClock.now
        var trial = SegmentTrial(patience: .seconds(2), now: now)
        var (running, held, count, lost, tenth) = (begun, 0, 0, 0, 0)
        var last = SegmentTrial.Step.wait
        while last != .done, tenth < 1000 {
            now += .milliseconds(100)
            tenth += 1
            count += link.count(running - held, inTenth: tenth)
            lost += link.count(running, inTenth: tenth) - link.count(running - held, inTenth: tenth)
            last = trial.step(now: now, count: count, running: running, isWaiting: false)
            switch last {
            case .wait: break
            case .hold(let number): held = number
            case .giveUp: (running, held) = (running - held, 0)
            case .done: held = 0
            }
        }

        #expect(last == .done && running == left)
        // Two tenths of what half of the requests bring; where all comes at once, that of one second.
        #expect(left < begun || Double(lost) <= Double(left) / 2 * link.request * (link.isBursty ? 1 : 0.2))
    }

    @Test func `requests are measured when all have a byte, or after a while`() {
        let start = ContinuousClock.now
        var trial = SegmentTrial(patience: .seconds(3), now: start)
        var steps: [SegmentTrial.Step] = []

        for second in 1...7 {
            let now = start + .seconds(second)
            steps.append(trial.step(now: now, count: 0, running: 4, isWaiting: true))
        }

        // Measured from the third second on.
        #expect(steps == [.wait, .wait, .wait, .wait, .wait, .hold(2), .wait])
    }

    @Test func `a server that has sent a wrong piece alone is not used beside others`() {
        var two = SegmentTrust(sources: 2)
        two.note(1, 4...5)
        two.judge(4, isRight: false)
        var one = SegmentTrust(sources: 1)
        var trusted: [Bool] = []
        for _ in 0..<3 {
            one.note(0, 7...7)
            one.judge(7, isRight: false)
            trusted.append(one.trusts(0))
        }
        var mixed = SegmentTrust(sources: 2)
        for source in 0..<2 { mixed.note(source, 1...1) }
        mixed.judge(1, isRight: false)

        #expect(two.trusts(0) && !two.trusts(1))
        #expect(trusted == [true, true, false])
        #expect(mixed.trusts(0) && mixed.trusts(1))
    }

    @Test func `a limit of the speed delays what comes too early, and gives little credit`() throws {
        var limit = try #require(SpeedLimit(1000))
        let start = ContinuousClock.now

        for (count, seconds, delay) in [(500, 0, 0.5), (500, 0, 1), (90, 10, 0), (1000, 10, 0.99)] {
            let wait = limit.delay(after: count, now: start + .seconds(seconds)) / .seconds(1)
            #expect(abs(wait - delay) < 0.000_001, "\(count) bytes at \(seconds)")
        }
        #expect(SpeedLimit(0) == nil && SpeedLimit(nil) == nil)
    }
}
