import Synchronization

/// Runs a job when something has happened a number of times. [any]
final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let job: @Sendable () -> Void

    /// - Parameter count: At least 1.
    init(_ count: Int, _ job: @escaping @Sendable () -> Void) {
        left = Atomic(count)
        self.job = job
    }

    /// It has happened once; the last call runs the job.
    func count() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { job() }
    }

    /// It has to happen once more. Returns false if the job has run: then it is too late.
    func expectOneMore() -> Bool {
        var left = self.left.load(ordering: .relaxed)
        while left > 0 {
            let (isDone, current) = self.left.compareExchange(
                expected: left, desired: left + 1, ordering: .acquiringAndReleasing)
            if isDone { return true }
            left = current
        }
        return false
    }
}
