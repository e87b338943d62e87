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

    /// Notes that it has happened once. The last call runs the job.
    func count() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { job() }
    }

    /// Requires it to happen once more. Returns false if the job has already run.
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
