import PlugboardSystem
import Synchronization

/// Threads for work of plugins that may block: as many as there is work, up to a limit. A thread ends when no work
/// waits. [any]
final class BlockingPool: Sendable {
    private static let limit = 64

    private struct State {
        var threads = 0
        var waiting: [@Sendable () -> Void] = []
        /// The index in `waiting` of the work that comes next.
        var next = 0

        mutating func take() -> (@Sendable () -> Void)? {
            guard next < waiting.count else {
                (waiting, next) = ([], 0)
                threads -= 1
                return nil
            }
            defer { next += 1 }
            return waiting[next]
        }
    }

    private let state = Mutex(State())

    /// Runs work once, soon. Returns false, and does not run it, if the system starts no thread.
    func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = state.withLock { state in
            if state.threads == BlockingPool.limit {
                state.waiting.append(work)
                return true
            }
            state.threads += 1
            return false
        }
        if isTaken { return true }
        let isStarted = BlockingThread.startIfPossible {
            work()
            while let next = self.state.withLock({ $0.take() }) { next() }
        }
        if isStarted { return true }
        return state.withLock { state in
            state.threads -= 1
            if state.threads > 0 { state.waiting.append(work) }
            return state.threads > 0
        }
    }
}
