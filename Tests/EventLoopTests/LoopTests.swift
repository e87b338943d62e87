import PlugboardEventLoop
import PlugboardMessages
import Synchronization
import TestSupport
import Testing

@Suite struct LoopTests {
    @Test func `jobs run in order on the loop's thread, and before stop returns`() throws {
        let loop = try EventLoop(name: "order")
        let seen = Mutex<[Int]>([])
        let wasCurrent = Mutex(false)

        for number in 0..<1000 { loop.enqueue { seen.withLock { $0.append(number) } } }
        loop.enqueue { wasCurrent.withLock { $0 = loop.isCurrent } }
        loop.stop()

        #expect(seen.withLock { $0 } == Array(0..<1000))
        #expect(wasCurrent.withLock { $0 })
        #expect(!loop.isCurrent)
    }

    @Test func `on a loop's thread the number of the loop is known, and on no other`() throws {
        let loops = try (0..<3).map { try EventLoop(name: "number", number: $0 + 5) }
        let seen = Mutex<[Int: Int?]>([:])
        let current = Mutex<[[Bool]]>([])

        for (index, loop) in loops.enumerated() {
            loop.enqueue {
                seen.withLock { $0[index] = .some(EventLoop.runningNumber) }
                current.withLock { $0.append(loops.map(\.isCurrent)) }
            }
            loop.stop()
        }

        #expect(seen.withLock { $0 } == [0: 5, 1: 6, 2: 7])
        #expect(current.withLock { $0 } == (0..<3).map { number in (0..<3).map { $0 == number } })
        #expect(EventLoop.runningNumber == nil)
    }

    @Test func `timers fire in the order of their deadlines, unless cancelled`() async throws {
        let clock = ManualClock()
        let loop = try EventLoop(name: "timers", clock: clock)
        defer { loop.stop() }
        let seen = Mutex<[Int]>([])
        let last = Gate()

        loop.enqueue {
            var timers: [LoopTimer] = []
            for number in 0..<500 {
                let deadline = loop.now + Int64(number * 7919 % 500) * 1_000_000 + 1
                timers.append(
                    loop.schedule(at: deadline) { seen.withLock { $0.append(number * 7919 % 500) } })
            }
            for number in stride(from: 0, to: 500, by: 3) { timers[number].cancel() }
            timers[1].move(to: loop.now + 600_000_000)
            _ = loop.schedule(at: loop.now + 900_000_000) { last.admit() }
        }
        loop.enqueue { clock.advance(by: .milliseconds(250)) }
        loop.enqueue { clock.advance(by: .milliseconds(750)) }
        try await last.opened()

        let kept = (0..<500).filter { $0 % 3 != 0 && $0 != 1 }.map { $0 * 7919 % 500 }.sorted()
        #expect(seen.withLock { $0 } == kept + [7919 % 500])
    }

    @Test func `a timer that is not due when the loop stops is released, though it holds the loop`() throws {
        weak var released: EventLoop?

        do {
            let loop = try EventLoop(name: "rest", clock: ManualClock())
            loop.enqueue { _ = loop.schedule(at: .max) { loop.stop() } }
            loop.stop()
            released = loop
        }

        #expect(released == nil)
    }

    @Test func `a job for the end of the turn runs once, after the other jobs`() async throws {
        let loop = try EventLoop(name: "end")
        let seen = Mutex<[String]>([])

        loop.enqueue {
            loop.atEndOfTurn {
                seen.withLock { $0.append("end") }
                loop.atEndOfTurn { seen.withLock { $0.append("next end") } }
                loop.enqueue { seen.withLock { $0.append("next job") } }
            }
            seen.withLock { $0.append("job") }
        }
        loop.stop()

        #expect(seen.withLock { $0 }.prefix(3) == ["job", "end", "next job"])
        #expect(seen.withLock { $0 }.filter { $0 == "end" }.count == 1)
    }

    @Test func `a timer fires by the system's clock`() async throws {
        let loop = try EventLoop(name: "system")
        defer { loop.stop() }
        let fired = Gate()

        loop.enqueue { _ = loop.schedule(at: loop.now + 5_000_000) { fired.admit() } }

        try await fired.opened()
    }

    @Test func `tasks may run on the loop, across suspensions and after its end`() async throws {
        let loop = try EventLoop(name: "tasks")

        let isOnLoop = await withTaskExecutorPreference(loop.executor) {
            var all = loop.isCurrent
            for _ in 0..<100 {
                await Task.yield()
                all = all && loop.isCurrent
            }
            return all
        }
        loop.stop()
        let isOnLoopStill = await withTaskExecutorPreference(loop.executor) { loop.isCurrent }

        #expect(isOnLoop)
        #expect(!isOnLoopStill)
    }

    @Test func `a task that yields again and again does not keep the loop from stopping`() async throws {
        let loop = try EventLoop(name: "yields")

        let isMoved = await withTaskExecutorPreference(loop.executor) {
            loop.stop()
            for _ in 0..<1000 {
                await Task.yield()
                if !loop.isCurrent { return true }
            }
            return false
        }

        #expect(isMoved)
    }

    @Test func `a loop that stops itself does not wait for itself`() async throws {
        let loop = try EventLoop(name: "self")
        let done = Gate()

        loop.enqueue {
            loop.stop()
            loop.enqueue { done.admit() }
        }

        try await done.opened()
    }

    @Test func `many threads may enqueue at once`() async throws {
        let loop = try EventLoop(name: "many")
        let counted = Gate()

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<5000 { loop.enqueue { counted.admit() } } }
            }
        }
        loop.stop()

        #expect(counted.admitted == 40_000)
    }
}
