import CEpoll
import Messages
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What other threads want done on a loop's thread, in order. Everything may be called from any thread.
///
/// The loop is woken only when it sleeps: one that is busy looks in before it does.
final class Inbox: Sendable {
    enum Job {
        case closure(@Sendable () -> Void)
        case task(UnownedJob)
    }

    private enum Life { case serving, stopping, stopped }

    private struct State {
        var jobs: [Job] = []
        var isSleeping = false
        var life = Life.serving
    }

    private let state = Mutex(State())
    /// Rings when the loop is to wake up.
    let alarm: Int32

    init() throws(PlugboardError) {
        alarm = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        if alarm < 0 { throw .noDescriptor(errno) }
    }

    deinit { close(alarm) }

    /// False when the loop has stopped.
    func deliver(_ job: Job) -> Bool {
        let (isTaken, mustWake) = state.withLock { state in
            if state.life == .stopped { return (false, false) }
            state.jobs.append(job)
            return (true, takeSleep(&state))
        }
        if mustWake { wake() }
        return isTaken
    }

    /// What is delivered from now on may never be done.
    func stop() {
        let mustWake = state.withLock { state in
            if state.life == .serving { state.life = .stopping }
            return takeSleep(&state)
        }
        if mustWake { wake() }
    }

    /// How long the loop may wait: `idleTime`, or not at all while there is something here.
    func beginWait(_ idleTime: Int64) -> Int64 {
        state.withLock { state in
            if !state.jobs.isEmpty || state.life != .serving { return 0 }
            state.isSleeping = idleTime != 0
            return idleTime
        }
    }

    /// Swaps the jobs for the empty array given; false when there are none and there will be none.
    func endWait(_ batch: inout [Job]) -> Bool {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.jobs, &batch)
            if state.life == .stopping, batch.isEmpty { state.life = .stopped }
            return state.life != .stopped
        }
    }

    private func takeSleep(_ state: inout State) -> Bool {
        defer { state.isSleeping = false }
        return state.isSleeping
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(alarm, &one, 8)
    }
}

extension PlugboardError {
    /// The system gives an event loop no file descriptor.
    static func noDescriptor(_ cause: Int32) -> PlugboardError {
        PlugboardError(
            .resources, "There is no file descriptor left for an event loop. Raise the limit (ulimit -n).",
            underlying: String(cString: strerror(cause)))
    }
}
