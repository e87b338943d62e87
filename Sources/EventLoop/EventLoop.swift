import CEpoll
import Messages
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One thread that everything of its exchanges runs on: sockets, timers, jobs and hooks.
///
/// It goes round in turns: wait for sockets → `now` is read → sockets → jobs → timers → transports settle → end of turn.
/// A turn does at most `sliceLength` jobs and as many timers, so that ten thousand of them do not keep sockets waiting.
/// The thread is started by `init`, keeps the loop alive, and ends with `stop`. What runs on it must not block.
///
/// Sendable because all but the inbox, the thread's id and what never changes is touched on the loop's thread only.
public final class EventLoop: @unchecked Sendable {
    private static let sliceLength = 256

    private let inbox: Inbox
    private let thread = Mutex<pthread_t?>(nil)
    private let threadID = Atomic<UInt>(0)
    /// What the loop goes by instead of the system's clock, in tests.
    public let clock: ManualClock?
    package let poller: Poller
    /// Runs a program's tasks on this loop's thread: `withTaskExecutorPreference(loop.executor) { … }`. [any]
    public let executor: LoopExecutor

    /// Nanoseconds of the loop's clock, read once a turn. [loop]
    public private(set) var now: Int64
    /// Nanoseconds of the system's monotonic clock, read once a turn, whatever the loop's clock is. [loop]
    package private(set) var systemNow: Int64
    private var batch: [Inbox.Job] = []
    /// The first job of the batch that is still to be done.
    private var nextJob = 0
    // What changes these two calls nobody meanwhile, and releases nobody but what its caller still holds.
    @exclusivity(unchecked) private var endOfTurn: [() -> Void] = []
    @exclusivity(unchecked) private var timers = TimerHeap()
    private var endOfThisTurn: [() -> Void] = []
    private var participants: [LoopParticipant] = []

    /// Starts the thread; the system shows the first 15 bytes of its name. With a manual clock, timers wait for
    /// `ManualClock.advance(by:)`, while sockets and libcurl keep the system's time.
    ///
    /// Throws `resources` where the system gives no file descriptor or no thread.
    public init(name: String, clock: ManualClock? = nil) throws(PlugboardError) {
        self.clock = clock
        inbox = try Inbox()
        poller = try Poller(alarm: inbox.alarm)
        executor = LoopExecutor(inbox: inbox)
        systemNow = EventLoop.systemTime()
        now = clock?.now ?? systemNow
        let start = Unmanaged.passRetained(ThreadStart(loop: self, name: name))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { start in threadMain(start) }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw PlugboardError(
                .resources, "The system starts no thread for an event loop. Raise the limit of threads (ulimit -u).",
                underlying: String(cString: strerror(code)))
        }
        self.thread.withLock { $0 = thread }
        clock?.attach(self)
    }

    /// Whether the caller runs on the loop's thread. [any]
    public var isCurrent: Bool { threadID.load(ordering: .relaxed) == EventLoop.currentThread }

    /// Runs a job on the loop's thread, after what was enqueued before; false when the loop has stopped and never will.
    /// [any]
    @discardableResult
    public func enqueue(_ job: @escaping @Sendable () -> Void) -> Bool { inbox.deliver(.closure(job)) }

    /// Runs a job once, when `now` has reached the deadline. [loop]
    public func schedule(at deadlineNanoseconds: Int64, _ job: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(loop: self, deadline: deadlineNanoseconds, job: job)
        timers.insert(timer)
        return timer
    }

    /// Runs a job once, when this turn's sockets, transfers, jobs and timers are done, before the loop sleeps. [loop]
    public func atEndOfTurn(_ job: @escaping () -> Void) { endOfTurn.append(job) }

    /// Ends the thread after what was enqueued before, and waits for that; called on the loop itself it does not wait.
    /// Timers that are not due are dropped. [any]
    public func stop() {
        inbox.stop()
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let thread else { return }
        if isCurrent { pthread_detach(thread) } else { pthread_join(thread, nil) }
    }

    // MARK: - Timers and transports

    func remove(_ timer: LoopTimer) { timers.remove(timer) }

    func move(_ timer: LoopTimer, to deadline: Int64) { timers.move(timer, to: deadline) }

    /// Lets a transport take part in every turn until `leave`. [loop]
    public func join(_ participant: LoopParticipant) { participants.append(participant) }

    public func leave(_ participant: LoopParticipant) { participants.removeAll { $0 === participant } }

    // MARK: - The thread

    fileprivate func run() {
        threadID.store(EventLoop.currentThread, ordering: .relaxed)
        while turn() {}
        dropRest()
        // The system may give the number of this thread to another one.
        threadID.store(0, ordering: .relaxed)
        clock?.detach(self)
    }

    /// What will not be done any more goes, for it may hold the loop itself. Whoever is released by that may leave more.
    private func dropRest() {
        while timers.firstDeadline != nil || !endOfTurn.isEmpty {
            _ = timers.removeAll()
            let rest = endOfTurn
            endOfTurn = []
            withExtendedLifetime(rest) {}
        }
    }

    /// False after the last turn.
    private func turn() -> Bool {
        let hasRest = nextJob < batch.count
        let readyCount = poller.wait(hasRest ? 0 : inbox.beginWait(idleTime()))
        systemNow = EventLoop.systemTime()
        now = clock?.now ?? systemNow
        if !hasRest, !inbox.endWait(&batch) { return false }
        poller.dispatch(readyCount, at: systemNow)
        runBatch()
        var count = 0
        while count < EventLoop.sliceLength, let timer = timers.popDue(now) {
            timer.fire()
            count += 1
        }
        for participant in participants { participant.settle() }
        runEndOfTurn()
        return true
    }

    private func runBatch() {
        let end = min(batch.count, nextJob + EventLoop.sliceLength)
        while nextJob < end {
            let job = batch[nextJob]
            nextJob += 1
            switch job {
            case .closure(let closure): closure()
            case .task(let job): job.runSynchronously(on: executor.asUnownedTaskExecutor())
            }
        }
        guard nextJob == batch.count else { return }
        nextJob = 0
        batch.removeAll(keepingCapacity: batch.count <= 16 * EventLoop.sliceLength)
    }

    private func runEndOfTurn() {
        if endOfTurn.isEmpty { return }
        swap(&endOfTurn, &endOfThisTurn)
        for job in endOfThisTurn { job() }
        endOfThisTurn.removeAll(keepingCapacity: true)
    }

    /// Nanoseconds until something is due, or -1 when nothing is.
    private func idleTime() -> Int64 {
        if !endOfTurn.isEmpty { return 0 }
        var rest = Int64.max
        // The clock goes on during a turn; the sleep that is too long by a turn's length is worth less than a second reading.
        if let deadline = timers.firstDeadline {
            if deadline <= now { return 0 }
            if clock == nil { rest = deadline - now }
        }
        for participant in participants where participant.deadline != .max {
            if participant.deadline <= systemNow { return 0 }
            rest = min(rest, participant.deadline - systemNow)
        }
        return rest == .max ? -1 : rest
    }

    #if canImport(Glibc)
        private static var currentThread: UInt { pthread_self() }
    #else
        private static var currentThread: UInt { UInt(bitPattern: pthread_self()) }
    #endif

    private static func systemTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// What the new thread is given.
private final class ThreadStart {
    let loop: EventLoop
    let name: String

    init(loop: EventLoop, name: String) {
        self.loop = loop
        self.name = name
    }
}

private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    cepoll_name_thread(start.name)
    // OpenSSL writes to connections that the peer has closed; libcurl leaves the signal to us (CURLOPT_NOSIGNAL).
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    start.loop.run()
    return nil
}
