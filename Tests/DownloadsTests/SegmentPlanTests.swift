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
        expectTake(&plan, 600, 2, 0..<0)
    }

    @Test func `nothing is divided after it did not help`() {
        var plan = SegmentPlan(length: 1000, received: ByteRanges(), minimum: 100)
        _ = plan.claim(0)
        plan.divides = false

        let claim = plan.claim(1)
        #expect(claim == nil && !plan.hasWork)
    }

    @Test func `workers that come, break and end in any order receive each byte once, at its place`() {
        var random = SeededRandom(seed: 9)
        for _ in 0..<300 {
            var plan = SegmentPlan(length: 5000, received: ByteRanges(1000..<1200), minimum: 50)
            var seen = [Int](repeating: 0, count: 5000)
            // The next byte of each worker's response.
            var positions: [Int: Int] = [:]
            var isMisplaced = false
            var steps = 0
            while !plan.isComplete, steps < 10_000 {
                steps += 1
                let worker = Int.random(in: 0..<4, using: &random)
                guard let position = positions[worker] else {
                    guard let range = plan.claim(worker) else { continue }
                    positions[worker] = range.lowerBound
                    let isWhole = steps == 1
                    plan.covers(worker, upTo: isWhole ? 5000 : range.upperBound - Int.random(in: 0...3, using: &random))
                    continue
                }
                if Int.random(in: 0..<10, using: &random) == 0 {
                    plan.giveUp(worker)
                    positions[worker] = nil
                    continue
                }
                let range = plan.take(Int.random(in: 1...200, using: &random), worker)
                if !range.isEmpty && range.lowerBound != position { isMisplaced = true }
                for index in range { seen[index] += 1 }
                plan.insert(range)
                positions[worker] = plan.goesOn(worker) ? position + range.count : nil
            }
            #expect(plan.isComplete && !isMisplaced)
            #expect(seen[..<1000].allSatisfy { $0 == 1 } && seen[1200...].allSatisfy { $0 == 1 })
            #expect(seen[1000..<1200].allSatisfy { $0 == 0 })
        }
    }

    @Test func `a claim that was taken over takes nothing more, although its response goes further`() {
        var plan = SegmentPlan(length: 1000, received: ByteRanges(), minimum: 100)
        _ = plan.claim(0)
        plan.covers(0, upTo: 1000)
        _ = (plan.claim(1), plan.claim(2), plan.claim(3))
        expectTake(&plan, 250, 0, 0..<250)
        expectTake(&plan, 500, 0, 250..<500)

        // Worker 1 requested 500 to 999; then its second half was claimed by worker 3.
        expectTake(&plan, 500, 0, 500..<750)
        plan.covers(1, upTo: 1000)
        expectTake(&plan, 100, 1, 0..<0)
    }

    private func expectTake(_ plan: inout SegmentPlan, _ count: Int, _ worker: Int, _ range: Range<Int>) {
        let taken = plan.take(count, worker)
        #expect(taken == range)
    }

    // MARK: Growth and speed

    @Test(arguments: [(1_000_000, SegmentGrowth.Step.stop), (1_240_000, .stop), (1_260_000, .done), (4_000_000, .done)])
    func `several requests go on if they bring a quarter more than one`(bytes: Int, step: SegmentGrowth.Step) {
        let start = ContinuousClock.now
        var growth = SegmentGrowth(now: start, count: 7)
        var steps: [SegmentGrowth.Step] = []

        steps.append(growth.step(now: start + .seconds(1), count: 1_000_007, isWaiting: false))
        steps.append(growth.step(now: start + .seconds(2), count: 2_000_000, isWaiting: true))
        steps.append(growth.step(now: start + .seconds(3), count: 3_000_000, isWaiting: false))
        steps.append(growth.step(now: start + .seconds(4), count: 3_000_000 + bytes, isWaiting: false))
        steps.append(growth.step(now: start + .seconds(5), count: 9_000_000, isWaiting: false))

        #expect(steps == [.begin, .wait, .wait, step, .done])
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
