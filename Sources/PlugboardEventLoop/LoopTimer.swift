/// A job that a loop runs once, at a deadline.
///
/// Used on the loop's thread only.
public final class LoopTimer {
    // The loop drops its timers when it ends, which breaks the cycle. An unowned reference would take longer to count.
    private let loop: EventLoop
    private var job: (() -> Void)?
    /// The deadline, in nanoseconds of the loop's clock.
    public var deadline: Int64 { time }
    // Unchecked, because changing a number calls no code. Other modules would check it nevertheless.
    @exclusivity(unchecked) fileprivate var time: Int64
    /// The index in the heap, or -1.
    @exclusivity(unchecked) fileprivate var index = -1

    /// Whether the job has neither run nor been cancelled. [loop]
    public var isPending: Bool { index >= 0 }

    init(loop: EventLoop, deadline: Int64, job: @escaping () -> Void) {
        self.loop = loop
        time = deadline
        self.job = job
    }

    /// Releases the job without running it. Does nothing if it is not pending. [loop]
    public func cancel() {
        loop.remove(self)
        job = nil
    }

    /// Changes the deadline. Does nothing if it is not pending. [loop]
    public func move(to deadlineNanoseconds: Int64) { loop.move(self, to: deadlineNanoseconds) }

    func fire() {
        let job = self.job
        self.job = nil
        job?()
    }
}

/// The timers of a loop in a binary heap, the earliest first. Each timer knows its index, so that removing one takes no
/// more time than inserting it.
struct TimerHeap {
    /// The deadline is stored next to its timer, so that comparing two entries needs no reference counting.
    private struct Entry {
        let deadline: Int64
        let timer: LoopTimer
    }

    private var entries: [Entry] = []

    var firstDeadline: Int64? { entries.isEmpty ? nil : entries[0].deadline }

    mutating func insert(_ timer: LoopTimer) {
        timer.index = entries.count
        entries.append(Entry(deadline: timer.deadline, timer: timer))
        rise(timer.index)
    }

    mutating func popDue(_ now: Int64) -> LoopTimer? {
        guard let firstDeadline, firstDeadline <= now else { return nil }
        let first = entries[0].timer
        remove(first)
        return first
    }

    mutating func remove(_ timer: LoopTimer) {
        let index = timer.index
        guard index >= 0, let last = entries.popLast() else { return }
        timer.index = -1
        guard index < entries.count else { return }
        put(last, index)
        settle(index)
    }

    /// Returns the timers for the caller to release, because releasing their jobs may call code that uses the heap.
    mutating func removeAll() -> [LoopTimer] {
        let timers = entries.map(\.timer)
        entries = []
        for timer in timers { timer.index = -1 }
        return timers
    }

    mutating func move(_ timer: LoopTimer, to deadline: Int64) {
        guard timer.index >= 0 else { return }
        timer.time = deadline
        entries[timer.index] = Entry(deadline: deadline, timer: timer)
        settle(timer.index)
    }

    private mutating func settle(_ index: Int) {
        if index > 0, entries[index].deadline < entries[(index - 1) / 2].deadline { rise(index) } else { sink(index) }
    }

    private mutating func rise(_ start: Int) {
        let deadline = entries[start].deadline
        var index = start
        while index > 0, deadline < entries[(index - 1) / 2].deadline {
            swap(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        let deadline = entries[start].deadline
        var index = start
        while true {
            var child = 2 * index + 1
            if child + 1 < entries.count, entries[child + 1].deadline < entries[child].deadline { child += 1 }
            guard child < entries.count, entries[child].deadline < deadline else { return }
            swap(index, child)
            index = child
        }
    }

    private mutating func swap(_ index: Int, _ other: Int) {
        entries.swapAt(index, other)
        entries[index].timer.index = index
        entries[other].timer.index = other
    }

    private mutating func put(_ entry: Entry, _ index: Int) {
        entries[index] = entry
        entry.timer.index = index
    }
}
