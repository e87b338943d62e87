import PlugboardJSON
import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite
import Synchronization

/// Sends the requests of the file again: which and when.
///
///     kick ─▶ claim in the file ─▶ send through the whole pipeline ─▶ settle in the file ─▶ kick
///
/// Until an origin has responded since its last failure of the network, one request is sent to it at a time: so that an
/// outage costs one request for each wait and origin, and not one for each queued request.
final class Replayer: Sendable {
    /// What is known of the network to an origin.
    struct Reach {
        /// Whether a response has come since the last failure.
        var isProven = false
        var failures = 0
        /// By the monotonic clock, in nanoseconds.
        var pausedUntil: Int64 = 0
    }

    struct State {
        var isStarted = false
        var isStopped = false
        /// The kernel takes no more requests.
        var isEnding = false
        /// The requests under way, and those that are being claimed.
        var running: [Int64: ClaimedEntry] = [:]
        var sendings: [Int64: SubRequest] = [:]
        var isClaiming = false
        var isAskedMeanwhile = false
        var isProbing = false
        /// Whether the probe has succeeded since the last failure of the network.
        var isProbed = false
        var probeFailures = 0
        /// By the monotonic clock, in nanoseconds: nothing is sent before.
        var pausedUntil: Int64 = 0
        var origins: [String: Reach] = [:]
        var isReachable: Bool?
        /// Nil in it: not made yet.
        var timer: (time: Int64, number: UInt64, timer: PluginHost.Timer?)?
        var timers: UInt64 = 0
        /// Nil until the file was read.
        var lines: Set<String>?
        /// Exchanges that wait until a line is empty.
        var waiting: [String: [Ticket]] = [:]
        var entered: [String] = []
        /// Commands that wait until everything they have named, and that can be sent, was sent.
        var byHand: [(selection: Selection, done: @Sendable () -> Void)] = []
        var ticks = 0
        /// The file and its version when the lines were read.
        var seen: (opening: Int, version: Int64)?
        /// By the monotonic clock, when old requests are looked for again.
        var nextExpiry: Int64 = 0
    }

    /// How often old requests are looked for, in nanoseconds.
    static let expiryPeriod: Int64 = 60_000_000_000

    /// How often the file is read while exchanges wait for a line, in nanoseconds.
    static let lookPeriod: Int64 = 1_000_000_000

    let settings: QueueSettings
    let policy: ReplayPolicy
    let store: QueueStore
    let host: PluginHost
    let news: QueueNews
    let outcomes: OutcomeWaiters
    let state = Mutex(State())
    /// Whether some line may have waiting requests; read without the lock.
    let mayHaveLines = Atomic(true)

    init(_ settings: QueueSettings, store: QueueStore, host: PluginHost, news: QueueNews) {
        self.settings = settings
        self.store = store
        self.host = host
        self.news = news
        policy = ReplayPolicy(settings)
        outcomes = OutcomeWaiters(store, host)
    }

    var random: UInt64 { host.random(8).reduce(0) { $0 << 8 | UInt64($1) } }

    // MARK: Life

    func start() {
        state.withLock { $0.isStarted = true }
        tick()
        kick()
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        outcomes.end()
    }

    /// Renews what this process holds, and looks for what others have left.
    private func tick() {
        host.schedule(after: settings.lease / 3) { [weak self] in
            guard let self else { return }
            let (isStopped, isLook) = state.withLock { state in
                state.ticks += 1
                return (state.isStopped, state.ticks % 3 == 0)
            }
            if isStopped { return }
            store.perform { (file, connection, _, time) throws(SQLiteFailure) in try file.renew(time: time, connection)
            }
            if isLook { kick() }
            tick()
        }
    }

    /// The network has come or gone. [loop]
    func networkChanged(isReachable: Bool) {
        let part = ReplayPolicy.part(of: settings.spread, random: random)
        state.withLock { state in
            defer { state.isReachable = isReachable }
            guard state.isReachable != nil else { return }
            state.isProbed = false
            guard isReachable else { return }
            state.origins = [:]
            state.probeFailures = 0
            state.pausedUntil = host.now.nanoseconds + part.nanoseconds
        }
        kick()
    }

    /// Sends what a command has named and can be sent now, also if `automatic` is false; `done` runs when nothing of it
    /// can be sent any more.
    func replayByHand(_ selection: Selection, _ done: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.pausedUntil = 0
            for origin in state.origins.keys { state.origins[origin]?.pausedUntil = 0 }
            state.byHand.append((selection, done))
        }
        kick()
    }

    // MARK: Lines

    /// Whether a line may have requests that are not sent yet.
    func isBusy(_ line: String) -> Bool {
        mayHaveLines.load(ordering: .relaxed) && state.withLock { $0.lines?.contains(line) ?? true }
    }

    /// Requests were dropped: the lines are read again.
    func reload() {
        state.withLock { $0.seen = nil }
        kick()
    }

    /// A request was queued.
    func added(_ line: String?, _ origin: String) {
        let now = host.now.nanoseconds
        let pause = state.withLock { state -> Int64? in
            if let line { _ = state.lines?.insert(line) }
            // The file need not be asked while nothing is sent to its origin.
            guard state.lines != nil, let end = state.origins[origin]?.pausedUntil, end > now else { return nil }
            return end
        }
        if line != nil { mayHaveLines.store(true, ordering: .relaxed) }
        if let pause, settings.automatic { setTimer(pause) } else { kick() }
    }

    /// A request of the line is not in the file any more: those that wait for the line are asked again.
    func left(_ line: String) {
        store.perform { (file, connection, _, _) throws(SQLiteFailure) in
            try file.isBusy(line, connection)
        } then: {
            [self] result in
            if case .success(false) = result { free(line) }
            kick()
        }
    }

    /// Nothing of the line waits or is being sent.
    func free(_ line: String) {
        let tickets = state.withLock { state in
            state.lines?.remove(line)
            if state.lines?.isEmpty == true { mayHaveLines.store(false, ordering: .relaxed) }
            return state.waiting.removeValue(forKey: line) ?? []
        }
        for ticket in tickets { ticket.wake() }
    }

    /// What a new request of a line does.
    enum Entrance { case free, waits, cannotWait }

    /// Lets an exchange wait until a line is empty. It cannot wait where there is no point, because the network to the
    /// origin is gone, or nothing is sent before the command `replay`.
    func enter(_ line: String, _ origin: String, _ ticket: Ticket) -> Entrance {
        let now = host.now.nanoseconds
        let entrance = state.withLock { state -> Entrance in
            // The line may have become empty meanwhile. Until the file was read, every line counts as busy.
            if let lines = state.lines, !lines.contains(line) { return .free }
            guard settings.automatic || state.lines == nil, now >= state.pausedUntil,
                now >= state.origins[origin]?.pausedUntil ?? 0, !state.isEnding, !state.isStopped
            else {
                return .cannotWait
            }
            state.waiting[line, default: []].append(ticket)
            state.entered.append(line)
            return .waits
        }
        if entrance == .waits { kick() }
        return entrance
    }
}
