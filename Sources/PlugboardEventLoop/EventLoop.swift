import CPlugboardEpoll
import PlugboardMessages
import PlugboardSystem
import Synchronization

/// A thread that runs exchanges: their sockets, timers, jobs and hooks.
///
/// It works in turns. In each it waits for sockets, reads `now`, handles sockets, runs jobs, fires timers, lets
/// transports settle, and runs the jobs of the turn's end. It runs at most `sliceLength` jobs and as many timers in one
/// turn, so that sockets do not wait for thousands of them. `init` starts the thread, which keeps the loop alive until
/// `stop`. Code that runs on it must not block.
///
/// Sendable because only the inbox and constants are used on other threads than the loop's.
public final class EventLoop: @unchecked Sendable {
    private static let sliceLength = 256

    private let inbox: Inbox
    private let thread = Mutex<pthread_t?>(nil)
    /// The number that its maker gave it.
    private let number: Int
    /// The clock of timers in tests, instead of the system's; nil in programs.
    public let clock: ManualClock?
    /// The loop's sockets. [loop]
    package let poller: Poller
    /// Runs tasks of the program on this loop's thread: `withTaskExecutorPreference(loop.executor) { … }`. [any]
    public let executor: LoopExecutor

    // Through functions, because other modules would check each access to the variables for exclusivity.
    /// The time of the loop's clock in nanoseconds, read once in a turn. [loop]
    public var now: Int64 { loopTime }
    /// The time of the system's monotonic clock in nanoseconds, read once in a turn, even with a manual clock. [loop]
    package var systemNow: Int64 { systemTime }
    @exclusivity(unchecked) private var loopTime: Int64
    @exclusivity(unchecked) private var systemTime: Int64
    /// The time of the loop's clock in nanoseconds, read at this call and not once in a turn. [any]
    package var timeOfCall: Int64 { clock?.now ?? EventLoop.readSystemTime() }
    @exclusivity(unchecked) private var batch: [Inbox.Job] = []
    /// The index in `batch` of the next job to run.
    @exclusivity(unchecked) private var nextJob = 0
    // Unchecked, because the functions that change these two call no other code meanwhile, and release only objects
    // that their callers hold.
    @exclusivity(unchecked) private var endOfTurn: [EndOfTurnJob] = []
    @exclusivity(unchecked) private var timers = TimerHeap()
    @exclusivity(unchecked) private var endOfThisTurn: [EndOfTurnJob] = []
    @exclusivity(unchecked) private var participants: [LoopParticipant] = []

    /// Starts the thread. With a manual clock, timers fire on `ManualClock.advance(by:)`; sockets and libcurl use the
    /// system's time.
    ///
    /// Throws `resources` if the system has no file descriptor or no thread left.
    ///
    /// - Parameters:
    ///   - name: The name of the thread, of which the system keeps 15 bytes.
    ///   - number: The value of `runningNumber` on the loop's thread.
    public init(name: String, number: Int = 0, clock: ManualClock? = nil) throws(PlugboardError) {
        self.clock = clock
        self.number = number
        inbox = try Inbox()
        poller = try Poller(alarm: inbox.alarm)
        executor = LoopExecutor(inbox: inbox)
        systemTime = EventLoop.readSystemTime()
        loopTime = clock?.now ?? systemTime
        var thread = pthread_t()
        let code = BlockingThread.create(&thread) { [self] in runThread(name) }
        guard code == 0 else {
            throw PlugboardError(
                .resources, "No thread can be started for an event loop. Raise the limit of threads (ulimit -u).",
                underlying: systemText(code))
        }
        self.thread.withLock { $0 = thread }
        clock?.attach(self)
    }

    /// Whether the caller runs on the loop's thread. [any]
    public var isCurrent: Bool { EventLoop.running == UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// The number of the loop on whose thread this is called; nil on other threads. [any]
    package static var runningNumber: Int? {
        running.map { Unmanaged<EventLoop>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.number } }
    }

    /// The time of the loop on whose thread this is called, if it has this clock; else the time now. [any]
    package static func time(_ clock: ManualClock?) -> Int64 {
        let time = running.flatMap { loop in
            Unmanaged<EventLoop>.fromOpaque(loop)._withUnsafeGuaranteedRef { $0.clock === clock ? $0.now : nil }
        }
        return time ?? clock?.now ?? readSystemTime()
    }

    // Not inlined in other files, whose copies of the C function would have a variable of their own.
    /// The address of the loop on whose thread this is called; nil on other threads. [any]
    @inline(never)
    package static var running: UnsafeRawPointer? { UnsafeRawPointer(cepoll_running().pointee) }

    @inline(never)
    private static func setRunning(_ loop: EventLoop?) {
        cepoll_running().pointee = loop.map { Unmanaged.passUnretained($0).toOpaque() }
    }

    /// Runs a job on the loop's thread, after the jobs enqueued before. Returns false if the loop has stopped, and the
    /// job will not run. [any]
    @discardableResult
    public func enqueue(_ job: @escaping @Sendable () -> Void) -> Bool { inbox.deliver(.closure(job)) }

    /// Runs a job once, when `now` has reached the deadline, in nanoseconds of the loop's clock. [loop]
    public func schedule(at deadlineNanoseconds: Int64, _ job: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(loop: self, deadline: deadlineNanoseconds, job: job)
        timers.insert(timer)
        return timer
    }

    /// Runs a job once, at the end of this turn, before the loop waits for sockets. [loop]
    public func atEndOfTurn(_ job: @escaping () -> Void) { endOfTurn.append(EndOfTurnJob(run: job)) }

    /// A struct, because an array of closures allocates memory for each one.
    private struct EndOfTurnJob {
        let run: () -> Void
    }

    /// Ends the thread after the jobs enqueued before, and waits for its end, except when it is called on the loop.
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

    /// Calls a transport in every turn until `leave`, and keeps it alive until then. [loop]
    public func join(_ participant: LoopParticipant) { participants.append(participant) }

    /// Ends `join`. [loop]
    public func leave(_ participant: LoopParticipant) { participants.removeAll { $0 === participant } }

    // MARK: - The thread

    fileprivate func run() {
        EventLoop.setRunning(self)
        while turn() {}
        dropRest()
        EventLoop.setRunning(nil)
        clock?.detach(self)
    }

    /// Releases the timers and jobs that will not run, because they may hold the loop. Objects that are released by
    /// that may add others, which are released too.
    private func dropRest() {
        while timers.firstDeadline != nil || !endOfTurn.isEmpty {
            _ = timers.removeAll()
            let rest = endOfTurn
            endOfTurn = []
            withExtendedLifetime(rest) {}
        }
    }

    /// Runs one turn. Returns false after the last one.
    private func turn() -> Bool {
        let hasRest = nextJob < batch.count
        let readyCount = poller.wait(hasRest ? 0 : inbox.beginWait(idleTime()))
        systemTime = EventLoop.readSystemTime()
        loopTime = clock?.now ?? systemTime
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
        if batch.count <= 16 * EventLoop.sliceLength { batch.clear() } else { batch = [] }
    }

    private func runEndOfTurn() {
        if endOfTurn.isEmpty { return }
        swap(&endOfTurn, &endOfThisTurn)
        for job in endOfThisTurn { job.run() }
        endOfThisTurn.clear()
    }

    /// Nanoseconds until the next timer or transport is due; -1 if there is none.
    private func idleTime() -> Int64 {
        if !endOfTurn.isEmpty { return 0 }
        var rest = Int64.max
        // `now` is older than the clock by the length of the turn. A second reading would cost more than a late timer.
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

    private func runThread(_ name: String) {
        cepoll_name_thread(name)
        // OpenSSL writes to connections that the peer has closed; with CURLOPT_NOSIGNAL, libcurl does not block the
        // signal.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        run()
    }

    private static func readSystemTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
