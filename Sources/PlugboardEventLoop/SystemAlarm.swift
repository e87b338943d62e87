/// Runs a job on the loop at a time of the system's clock, even if the loop has a manual clock. [loop]
package final class SystemAlarm {
    private let part: Part
    private var hasJoined = false

    /// An alarm that is not set.
    ///
    /// - Parameter job: Must not hold the loop strongly, because the loop keeps an alarm that was set once.
    package init(loop: EventLoop, _ job: @escaping () -> Void) { part = Part(loop, job) }

    /// The time of the system's monotonic clock in nanoseconds, read once in a turn.
    package var now: Int64 { part.loop.systemNow }

    /// Runs the job once, when `now` has reached the time. Replaces a time that was set before.
    package func set(_ time: Int64) {
        part.time = time
        if !hasJoined { part.loop.join(part) }
        hasJoined = true
    }

    /// Cancels the time that was set.
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
