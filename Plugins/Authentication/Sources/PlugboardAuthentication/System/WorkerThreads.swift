import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Threads for blocking work, one for each task, because blocking tasks would exhaust the shared thread pool. Called
/// from any thread.
final class WorkerThreads: Sendable {
    private struct State {
        var isStopping = false
        var running: [pthread_t] = []
        /// Threads that have ended and are not joined yet.
        var over: [pthread_t] = []
    }

    /// Sendable because every thread may use a `pthread_t`.
    private struct Threads: @unchecked Sendable { var state = State() }

    private let threads = Mutex(Threads())

    /// Whether running work should end.
    var isStopping: Bool { threads.withLock { $0.state.isStopping } }

    /// Runs a closure on a thread of its own; false, without running it, if no thread can be started or `stop` was
    /// called.
    func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        let piece = Unmanaged.passRetained(Work(work, self))
        let isStarted = threads.withLock { threads in
            Self.join(&threads.state.over)
            guard !threads.state.isStopping else { return false }
            var thread = pthread_t()
            let code = pthread_create(
                &thread, nil,
                { context in
                    if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
                    return nil
                }, piece.toOpaque())
            // Under the lock, so that the thread finds its entry when it ends.
            if code == 0 { threads.state.running.append(thread) }
            return code == 0
        }
        if !isStarted { piece.release() }
        return isStarted
    }

    /// Refuses more work, and waits until all running work has ended.
    func stop() {
        let threads = threads.withLock { threads in
            threads.state.isStopping = true
            defer { (threads.state.running, threads.state.over) = ([], []) }
            return Threads(state: threads.state)
        }
        var all = threads.state.running + threads.state.over
        Self.join(&all)
    }

    private func end() {
        threads.withLock { threads in
            let own = pthread_self()
            guard let index = threads.state.running.firstIndex(where: { pthread_equal($0, own) != 0 }) else { return }
            threads.state.over.append(threads.state.running.remove(at: index))
        }
    }

    private static func join(_ threads: inout [pthread_t]) {
        for thread in threads { pthread_join(thread, nil) }
        threads = []
    }

    private final class Work: Sendable {
        private let work: @Sendable () -> Void
        private let threads: WorkerThreads

        init(_ work: @escaping @Sendable () -> Void, _ threads: WorkerThreads) {
            self.work = work
            self.threads = threads
        }

        func run() {
            work()
            threads.end()
        }
    }
}
