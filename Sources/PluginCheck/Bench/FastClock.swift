import Dispatch
import PlugboardEventLoop
import PlugboardSystem
import PlugboardTransport
import Synchronization

/// A clock that runs faster than real time, by default a hundred times, until it is stopped.
///
/// A plugin's delays of seconds pass quickly, while work that a thread does within milliseconds still comes before a
/// deadline of a second. It ticks on a thread of its own, because a sleeping task keeps memory for a while and the
/// checks measure memory.
final class FastClock: Sendable {
    let clock = ManualClock()
    private let isStopped = Atomic(false)
    private let speed: Int

    init(speed: Int) { self.speed = speed }

    func start() {
        DispatchQueue.global().async { [self] in
            while !isStopped.load(ordering: .relaxed) {
                clock.advance(by: .milliseconds(2 * speed))
                usleep(2_000)
            }
        }
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }
}
