import PlugboardMessages
import PlugboardSystem
import Synchronization

/// A thread that starts with the first work, performs all work in its order, and ends when it is closed.
final class StoreThread: Sendable {
    /// Work, which gets the session of the thread; nil if it must no longer be performed.
    typealias Work = @Sendable (Session?) -> Void

    private enum Sleep { case awake, withoutWork, onWorkThatCanWait }

    private struct State {
        var work: [Work] = []
        /// Whether some of the work is urgent.
        var isUrgent = false
        var isStarted = false
        var sleep = Sleep.awake
        var isClosed = false
        var isAbandoned = false
    }

    /// How long work that is not urgent waits for other work.
    private static let patience: Duration = .milliseconds(20)

    private let state = Mutex(State())
    private let wakeUp = Semaphore()
    private let ended = Semaphore()
    private let count = Atomic(0)
    private let makeSession: @Sendable () -> Session
    /// The thread, after it was started.
    private let identity = Mutex<pthread_t?>(nil)

    /// The session is made, used and released on the thread.
    init(_ makeSession: @escaping @Sendable () -> Session) { self.makeSession = makeSession }

    /// The number of pieces of work that are not done.
    var pending: Int { count.load(ordering: .relaxed) }

    var isCurrent: Bool {
        identity.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Adds work. Returns false if it will not be performed, because the thread is closed or cannot be started.
    func add(_ urgency: SQLiteStore.Urgency, _ work: @escaping Work) -> Bool {
        let (isTaken, mustWake) = state.withLock { state in
            if !state.isStarted && !state.isClosed { state.isStarted = start() }
            guard state.isStarted, !state.isClosed else { return (false, false) }
            state.work.append(work)
            count.add(1, ordering: .relaxed)
            if urgency == .soon && state.sleep == .onWorkThatCanWait { return (true, false) }
            state.isUrgent = state.isUrgent || urgency == .now
            return (true, StoreThread.takeSleep(&state))
        }
        if mustWake { wakeUp.signal() }
        return isTaken
    }

    /// Refuses new work; the thread ends after the work added before.
    func close() {
        let mustWake = state.withLock { state in
            state.isClosed = true
            return StoreThread.takeSleep(&state)
        }
        if mustWake { wakeUp.signal() }
    }

    private static func takeSleep(_ state: inout State) -> Bool {
        defer { state.sleep = .awake }
        return state.sleep != .awake
    }

    /// Blocks until the thread has ended. Returns false if the limit was reached first; then the rest of the work gets
    /// nil instead of the session.
    func join(within limit: Duration) -> Bool {
        guard state.withLock({ $0.isStarted }) else { return true }
        let isEnded = ended.wait(upTo: limit)
        // Passes the end on to another thread that waits.
        if isEnded { ended.signal() } else { state.withLock { $0.isAbandoned = true } }
        return isEnded
    }

    private func start() -> Bool {
        // Signals are handled by the program's own threads.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return BlockingThread.startIfPossible { [self] in run() }
    }

    private func run() {
        identity.withLock { $0 = pthread_self() }
        let session = makeSession()
        while var batch = nextBatch() {
            batch.reverse()
            // Each piece of work is released as soon as it is done, with the bytes that it holds.
            while let work = batch.popLast() {
                work(state.withLock { $0.isAbandoned } ? nil : session)
                count.subtract(1, ordering: .relaxed)
            }
        }
        session.close()
        ended.signal()
    }

    /// Sleeps until there is urgent work, or work that has waited long enough. Nil when the thread is closed and all
    /// work is done.
    private func nextBatch() -> [Work]? {
        var hasWaited = false
        while true {
            let (batch, sleep) = state.withLock { state -> ([Work], Sleep) in
                let isDue = state.isUrgent || state.isClosed || hasWaited
                if isDue || state.work.isEmpty {
                    var batch: [Work] = []
                    swap(&batch, &state.work)
                    state.isUrgent = false
                    state.sleep = batch.isEmpty && !state.isClosed ? .withoutWork : .awake
                    return (batch, state.sleep)
                }
                state.sleep = .onWorkThatCanWait
                return ([], state.sleep)
            }
            if !batch.isEmpty { return batch }
            switch sleep {
            case .awake: return nil
            case .withoutWork: wakeUp.wait()
            case .onWorkThatCanWait: hasWaited = !wakeUp.wait(upTo: StoreThread.patience)
            }
        }
    }
}
