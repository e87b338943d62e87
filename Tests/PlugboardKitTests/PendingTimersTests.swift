import Synchronization
import Testing

@testable import PlugboardKit

/// What a plugin keeps of its timers.
struct PendingTimersTests {
    private final class Marks: Sendable {
        private let marks = Mutex<[String]>([])
        func add(_ mark: String) { marks.withLock { $0.append(mark) } }
        var all: [String] { marks.withLock { $0 } }
    }

    @Test func `a timer that is due after its plugin was destroyed does nothing`() throws {
        let marks = Marks()
        let number: UInt
        do {
            let timers = PendingTimers()
            let added = timers.add({ marks.add("ran") }, dropped: { marks.add("dropped") })
            number = try #require(added)
            timers.end()
        }

        PendingTimers.run(number)

        #expect(marks.all == ["dropped"])
    }

    @Test func `one runs once, and is not dropped then`() throws {
        let marks = Marks()
        let timers = PendingTimers()
        let added = timers.add({ marks.add("ran") }, dropped: { marks.add("dropped") })
        let number = try #require(added)

        PendingTimers.run(number)
        PendingTimers.run(number)
        timers.end()

        #expect(marks.all == ["ran"])
    }

    @Test func `the end of one plugin is not another's`() throws {
        let marks = Marks()
        let (first, second) = (PendingTimers(), PendingTimers())
        _ = first.add({ marks.add("first ran") }, dropped: { marks.add("first dropped") })
        let added = second.add({ marks.add("second ran") }, dropped: { marks.add("second dropped") })
        let number = try #require(added)

        first.end()
        PendingTimers.run(number)
        let late = first.add({ marks.add("late ran") }, dropped: { marks.add("late dropped") })

        #expect(late == nil)
        #expect(marks.all == ["first dropped", "second ran", "late dropped"])
        second.end()
    }
}
