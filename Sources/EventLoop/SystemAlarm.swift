/// Runs a job of the loop at a time of the system's clock, also where the loop goes by a manual clock. [loop]
package final class SystemAlarm {
    private let part: Part
    private var hasJoined = false

    /// - Parameter job: Must not hold the loop strongly: the loop keeps an alarm that was set once.
    package init(loop: EventLoop, _ job: @escaping () -> Void) { part = Part(loop, job) }

    /// Nanoseconds of the system's monotonic clock, read once a turn.
    package var now: Int64 { part.loop.systemNow }

    /// Runs the job once, when `now` has reached the time, and not at the time that was set before.
    package func set(_ time: Int64) {
        part.time = time
        if !hasJoined { part.loop.join(part) }
        hasJoined = true
    }

    package func clear() { part.time = .max }

    private final class Part: LoopParticipant {
        unowned let loop: EventLoop
        let job: () -> Void
        var time = Int64.max

        init(_ loop: EventLoop, _ job: @escaping () -> Void) {
            self.loop = loop
            self.job = job
        }

        override var deadline: Int64 { time }

        override func settle() {
            guard time != .max, loop.systemNow >= time else { return }
            time = .max
            job()
        }
    }
}
