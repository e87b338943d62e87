import Dispatch
import EventLoop
import Glibc
import Synchronization
import Transporting

/// A clock that runs a hundred times as fast as the sun, until it is stopped.
///
/// So a plugin's delays of seconds pass, and what a thread does within milliseconds still comes before a deadline of a
/// second. It ticks on a thread of its own: a task that sleeps leaves memory behind for a while, which is to be
/// measured.
final class FastClock: Sendable {
    let clock = ManualClock()
    private let isStopped = Atomic(false)

    func start() {
        DispatchQueue.global().async { [self] in
            while !isStopped.load(ordering: .relaxed) {
                clock.advance(by: .milliseconds(200))
                usleep(2_000)
            }
        }
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }
}
