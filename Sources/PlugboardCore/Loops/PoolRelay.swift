import Synchronization

/// A task of Swift's pool that resumes other tasks of the pool: a thread that runs in the pool wakes no other for each
/// task that it adds to the pool's queue.
///
/// The task waits until there are tasks to resume, and ends after `end`.
final class PoolRelay: Sendable {
    private struct State {
        var ready: [OutcomeBatch.Ready] = []
        /// The relay's task, if it waits.
        var waiting: UnsafeContinuation<Void, Never>?
        var isEnded = false
    }

    private let state = Mutex(State())

    init(_ priority: TaskPriority) {
        Task.detached(priority: priority) { await self.run() }
    }

    /// Resumes the tasks soon, in their order. [any]
    func resume(_ ready: [OutcomeBatch.Ready]) {
        let waiting = state.withLock { state in
            if state.ready.isEmpty { state.ready = ready } else { state.ready += ready }
            return state.waiting.take()
        }
        waiting?.resume()
    }

    /// Ends the relay's task after it has resumed all tasks. [any]
    func end() {
        let waiting = state.withLock { state in
            state.isEnded = true
            return state.waiting.take()
        }
        waiting?.resume()
    }

    private func run() async {
        while resumeReady() {
            await withUnsafeContinuation { continuation in
                let mustWait = state.withLock { state in
                    if !state.ready.isEmpty || state.isEnded { return false }
                    state.waiting = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        }
    }

    /// A function of its own, so that the task does not keep the responses while it waits: they keep their kernel, and
    /// that keeps the relay.
    /// - Returns: False if the relay has ended.
    private func resumeReady() -> Bool {
        let (ready, isEnded) = state.withLock { state in
            defer { state.ready = [] }
            return (state.ready, state.isEnded)
        }
        for one in ready { one.resume() }
        return !isEnded || !ready.isEmpty
    }
}
