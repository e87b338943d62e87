/// Something that a loop will do once, at a time.
///
/// Touched on the loop's thread only.
public final class LoopTimer {
    private unowned let loop: EventLoop
    private var job: (() -> Void)?
    fileprivate(set) var deadline: Int64
    /// Where it stands in the heap, or -1.
    fileprivate var place = -1

    /// Whether it is still to happen. [loop]
    var isPending: Bool { place >= 0 }

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
    private var timers: [LoopTimer] = []

    var firstDeadline: Int64? { timers.first?.deadline }

    mutating func insert(_ timer: LoopTimer) {
        timer.place = timers.count
        timers.append(timer)
        rise(timer.place)
    }

    mutating func popDue(_ now: Int64) -> LoopTimer? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        remove(first)
        return first
    }

    mutating func remove(_ timer: LoopTimer) {
        let place = timer.place
        guard place >= 0, let last = timers.popLast() else { return }
        timer.place = -1
        guard place < timers.count else { return }
        put(last, place)
        settle(place)
    }

    /// Returns them, for the caller to release: their jobs may hold what looks at the timers.
    mutating func removeAll() -> [LoopTimer] {
        defer { timers = [] }
        for timer in timers { timer.place = -1 }
        return timers
    }

    mutating func move(_ timer: LoopTimer, to deadline: Int64) {
        guard timer.place >= 0 else { return }
        timer.deadline = deadline
        settle(timer.place)
    }

    private mutating func settle(_ place: Int) {
        if place > 0, timers[place].deadline < timers[(place - 1) / 2].deadline { rise(place) } else { sink(place) }
    }

    private mutating func rise(_ start: Int) {
        var place = start
        let timer = timers[place]
        while place > 0, timer.deadline < timers[(place - 1) / 2].deadline {
            put(timers[(place - 1) / 2], place)
            place = (place - 1) / 2
        }
        put(timer, place)
    }

    private mutating func sink(_ start: Int) {
        var place = start
        let timer = timers[place]
        while true {
            var child = 2 * place + 1
            if child + 1 < timers.count, timers[child + 1].deadline < timers[child].deadline { child += 1 }
            guard child < timers.count, timers[child].deadline < timer.deadline else { break }
            put(timers[child], place)
            place = child
        }
        put(timer, place)
    }

    private mutating func put(_ timer: LoopTimer, _ place: Int) {
        timers[place] = timer
        timer.place = place
    }
}
