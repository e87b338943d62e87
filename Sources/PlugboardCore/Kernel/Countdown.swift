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
}
