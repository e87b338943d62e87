/// Something that a loop will do once, at a time.
///
/// Touched on the loop's thread only.
public final class LoopTimer {
    private unowned let loop: EventLoop
    private var job: (() -> Void)?
    public fileprivate(set) var deadline: Int64
    /// Where it stands in the heap, or -1.
    fileprivate var place = -1

    /// Whether it is still to happen. [loop]
    public var isPending: Bool { place >= 0 }

    init(loop: EventLoop, deadline: Int64, job: @escaping () -> Void) {
        self.loop = loop
        self.deadline = deadline
        self.job = job
    }

    /// Takes it back; nothing happens when it is over already. [loop]
    public func cancel() {
        loop.remove(self)
        job = nil
    }

    /// Changes when it will happen; nothing happens when it is over already. [loop]
    public func move(to deadlineNanoseconds: Int64) { loop.move(self, to: deadlineNanoseconds) }

    func fire() {
        let job = self.job
        self.job = nil
        job?()
    }
}

/// The timers of a loop, the earliest first: a binary heap whose timers know their places, so that taking one back
/// costs no more than putting it in, and leaves nothing behind.
struct TimerHeap {
    /// The deadline stands beside its timer, so that comparing two counts no references.
    private struct Entry {
        let deadline: Int64
        let timer: LoopTimer
    }

    private var entries: [Entry] = []

    var firstDeadline: Int64? { entries.isEmpty ? nil : entries[0].deadline }

    mutating func insert(_ timer: LoopTimer) {
        timer.place = entries.count
        entries.append(Entry(deadline: timer.deadline, timer: timer))
        rise(timer.place)
    }

    mutating func popDue(_ now: Int64) -> LoopTimer? {
        guard let firstDeadline, firstDeadline <= now else { return nil }
        let first = entries[0].timer
        remove(first)
        return first
    }

    mutating func remove(_ timer: LoopTimer) {
        let place = timer.place
        guard place >= 0, let last = entries.popLast() else { return }
        timer.place = -1
        guard place < entries.count else { return }
        put(last, place)
        settle(place)
    }

    /// Returns them, for the caller to release: their jobs may hold what looks at the timers.
    mutating func removeAll() -> [LoopTimer] {
        let timers = entries.map(\.timer)
        entries = []
        for timer in timers { timer.place = -1 }
        return timers
    }

    mutating func move(_ timer: LoopTimer, to deadline: Int64) {
        guard timer.place >= 0 else { return }
        timer.deadline = deadline
        entries[timer.place] = Entry(deadline: deadline, timer: timer)
        settle(timer.place)
    }

    private mutating func settle(_ place: Int) {
        if place > 0, entries[place].deadline < entries[(place - 1) / 2].deadline { rise(place) } else { sink(place) }
    }

    private mutating func rise(_ start: Int) {
        let deadline = entries[start].deadline
        var place = start
        while place > 0, deadline < entries[(place - 1) / 2].deadline {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        let deadline = entries[start].deadline
        var place = start
        while true {
            var child = 2 * place + 1
            if child + 1 < entries.count, entries[child + 1].deadline < entries[child].deadline { child += 1 }
            guard child < entries.count, entries[child].deadline < deadline else { return }
            swap(place, child)
            place = child
        }
    }

    private mutating func swap(_ place: Int, _ other: Int) {
        entries.swapAt(place, other)
        entries[place].timer.place = place
        entries[other].timer.place = other
    }

    private mutating func put(_ entry: Entry, _ place: Int) {
        entries[place] = entry
        entry.timer.place = place
    }
}
