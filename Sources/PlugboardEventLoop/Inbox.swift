import CPlugboardEpoll
import PlugboardMessages
import PlugboardSystem
import Synchronization

/// The jobs that other threads have enqueued for a loop's thread, in order. All functions may be called on any thread.
///
/// The loop is woken only if it sleeps: it looks for new jobs before it sleeps.
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
    /// An eventfd that becomes readable when the loop must wake up.
    let alarm: Int32

    init() throws(PlugboardError) {
        alarm = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        if alarm < 0 { throw .noDescriptor(errno) }
    }

    deinit { close(alarm) }

    /// Adds a job. Returns false if the loop has stopped; for a task, even while it is stopping.
    func deliver(_ job: Job) -> Bool {
        let (isTaken, mustWake) = state.withLock { state in
            // A task that yields again and again would keep the loop from stopping.
            if case .task = job, state.life == .stopping { return (false, false) }
            if state.life == .stopped { return (false, false) }
            state.jobs.append(job)
            return (true, takeSleep(&state))
        }
        if mustWake { wake() }
        return isTaken
    }

    /// Ends the loop after the jobs delivered before. Later jobs may not run.
    func stop() {
        let mustWake = state.withLock { state in
            if state.life == .serving { state.life = .stopping }
            return takeSleep(&state)
        }
        if mustWake { wake() }
    }

    /// Returns how long the loop may wait, in nanoseconds: `idleTime`, or 0 if there are jobs.
    func beginWait(_ idleTime: Int64) -> Int64 {
        state.withLock { state in
            if !state.jobs.isEmpty || state.life != .serving { return 0 }
            state.isSleeping = idleTime != 0
            return idleTime
        }
    }

    /// Exchanges the jobs for the empty array. Returns false if there are none and the loop stops.
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
    /// No file descriptor is left for an event loop.
    static func noDescriptor(_ cause: Int32) -> PlugboardError {
        PlugboardError(
            .resources,
            cause == ENOSPC
                ? "An event loop can watch no file descriptor. Raise the limit of the user (fs.epoll.max_user_watches)."
                : "No file descriptor is left for an event loop. Raise the limit (ulimit -n).",
            underlying: systemText(cause))
    }
}
