import Synchronization

/// The calls of commands that are under way, so that no plugin is destroyed beneath one. From any thread.
final class CommandCalls: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
        var whenIdle: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// False once the kernel is shutting its plugins down.
    func enter() -> Bool {
        state.withLock { state in
            if !state.isClosed { state.count += 1 }
            return !state.isClosed
        }
    }

    func leave() {
        let job = state.withLock { state -> (@Sendable () -> Void)? in
            state.count -= 1
            guard state.count == 0 else { return nil }
            defer { state.whenIdle = nil }
            return state.whenIdle
        }
        job?()
    }

    /// Lets nobody in any more; the job runs when the last has left.
    func close(_ job: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            state.isClosed = true
            if state.count > 0 { state.whenIdle = job }
            return state.count == 0
        }
        if isIdle { job() }
    }
}
