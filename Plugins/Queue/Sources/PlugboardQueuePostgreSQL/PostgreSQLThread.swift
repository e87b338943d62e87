import CPlugboardPostgreSQL
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Another name, because the thread has a `close` of its own.
private let end = close

/// Performs work in its order, and between its pieces waits for news from the server.
final class PostgreSQLThread: Sendable {
    /// Gets whether it must not be performed any more.
    typealias Work = @Sendable (_ isOver: Bool) -> Void

    private struct State {
        var work: [Work] = []
        var isStarted = false
        var isClosed = false
        var isAbandoned = false
        var isEnded = false
        /// Returns the descriptor to wait for, and whether there are news.
        var idle: (@Sendable () -> (descriptor: Int32, hasNews: Bool)?)?
        var waiter: (read: Int32, write: Int32) = (-1, -1)
    }

    /// How often `changed` is called without news, because poolers and lost connections do not tell them.
    private static let period = Duration.seconds(1)

    private let state = Mutex(State())
    private let changed: @Sendable () -> Void

    init(changed: @escaping @Sendable () -> Void) { self.changed = changed }

    /// Set before the first work.
    var idle: (@Sendable () -> (descriptor: Int32, hasNews: Bool)?)? {
        get { state.withLock { $0.idle } }
        set { state.withLock { $0.idle = newValue } }
    }

    /// Returns false if the thread is closed, or cannot be started.
    func add(_ work: @escaping Work) -> Bool {
        state.withLock { state in
            if !state.isStarted, !state.isClosed { start(&state) }
            guard state.isStarted, !state.isClosed else { return false }
            state.work.append(work)
            PostgreSQLThread.wake(state)
            return true
        }
    }

    private static func wake(_ state: State) {
        var byte: UInt8 = 0
        // A pipe that is full wakes too.
        if state.waiter.write >= 0 { _ = write(state.waiter.write, &byte, 1) }
    }

    /// Refuses new work, and waits for the end of the rest. Beyond the limit, the rest is not performed.
    func close(within limit: Duration) {
        let end = ContinuousClock.now + limit
        state.withLock { state in
            state.isClosed = true
            PostgreSQLThread.wake(state)
        }
        while state.withLock({ $0.isStarted && !$0.isEnded }), ContinuousClock.now < end { usleep(1000) }
        state.withLock { $0.isAbandoned = true }
    }

    private func start(_ state: inout State) {
        var ends: [Int32] = [-1, -1]
        guard plugboard_postgresql_pipe(&ends) == 0 else { return }
        state.waiter = (ends[0], ends[1])
        // Signals are handled by the program's own threads.
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<PostgreSQLThread>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        state.isStarted = code == 0
        if code == 0 { pthread_detach(thread) } else { Unmanaged.passUnretained(self).release() }
    }

    private func run() {
        var nextPoll = ContinuousClock.now + PostgreSQLThread.period
        while true {
            let (batch, isClosed) = state.withLock { state in
                defer { state.work = [] }
                return (state.work, state.isClosed)
            }
            for work in batch { work(state.withLock { $0.isAbandoned }) }
            if isClosed, batch.isEmpty { break }
            if !batch.isEmpty { continue }
            let news = idle?()
            if news?.hasNews == true || ContinuousClock.now >= nextPoll {
                nextPoll = .now + PostgreSQLThread.period
                changed()
                continue
            }
            wait(for: news?.descriptor, until: nextPoll)
        }
        state.withLock { state in
            state.isEnded = true
            _ = (end(state.waiter.read), end(state.waiter.write))
            (state.waiter, state.idle) = ((-1, -1), nil)
        }
    }

    private func wait(for descriptor: Int32?, until end: ContinuousClock.Instant) {
        let waiter = state.withLock { $0.waiter.read }
        var watched = [
            pollfd(fd: waiter, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let left = (end - .now).components
        poll(&watched, 2, Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1))
        var bytes = [UInt8](repeating: 0, count: 512)
        _ = read(waiter, &bytes, bytes.count)
    }
}
