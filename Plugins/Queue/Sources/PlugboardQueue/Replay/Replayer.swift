import PlugboardJSON
import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite
import Synchronization

/// Decides which requests of the file are sent and when, and sends them.
///
///     kick ─▶ claim in the file ─▶ send through the whole pipeline ─▶ settle in the file ─▶ kick
///
/// After a failure of the network, one request at a time is sent to an origin until it has responded. So an outage
/// costs one request for each wait and origin, and not one for each queued request.
final class Replayer: Sendable {
    /// What is known of the network to an origin.
    struct Reach {
        /// Whether a response has come since the last failure.
        var isProven = false
        var failures = 0
        /// The end of the pause, by the monotonic clock in nanoseconds.
        var pausedUntil: Int64 = 0
    }

    struct State {
        var isStarted = false
        var isStopped = false
        /// The kernel is being shut down: nothing more is taken.
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
        /// Nothing is sent before this time of the monotonic clock, in nanoseconds.
        var pausedUntil: Int64 = 0
        var origins: [String: Reach] = [:]
        var isReachable: Bool?
        /// The last element is nil until the timer is made.
        var timer: (time: Int64, number: UInt64, timer: PluginHost.Timer?)?
        var timers: UInt64 = 0
        /// Whether the file was read once.
        var hasLooked = false
        var lines = Lines<Ticket>()
        /// Commands that wait until everything that they have selected, and that can be sent, was sent.
        var byHand: [(selection: Selection, done: @Sendable () -> Void)] = []
        var ticks = 0
        /// The stamp of the file for which `lines` is valid; nil if a change may leave the stamp the same.
        var stamp: FileStamp?
        /// When old requests are looked for again, by the monotonic clock.
        var nextExpiry = Int64.min

        /// The commands that have ended, because nothing that they have named can be sent any more.
        mutating func takeEndedCommands() -> [@Sendable () -> Void] {
            guard running.isEmpty, !isClaiming else { return [] }
            defer { byHand = [] }
            return byHand.map(\.done)
        }
    }

    /// How often old requests are looked for, in nanoseconds.
    static let expiryPeriod: Int64 = 60_000_000_000

    /// How often the file is read while exchanges wait for a line, in nanoseconds.
    static let lookPeriod: Int64 = 200_000_000

    /// The time between a failed claim and the next one, in nanoseconds.
    static let retryPeriod: Int64 = 1_000_000_000

    let settings: QueueSettings
    let policy: ReplayPolicy
    let store: QueueStore
    let host: PluginHost
    let news: QueueNews
    let outcomes: OutcomeWaiters
    let state = Mutex(State())
    /// Whether requests are sent without a command.
    let isAutomatic: Bool

    init(_ settings: QueueSettings, store: QueueStore, host: PluginHost, news: QueueNews) {
        self.settings = settings
        self.store = store
        self.host = host
        self.news = news
        isAutomatic = settings.automatic && !host.isQuiet
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

    /// Called when the kernel is being shut down: requests under way end, and the next process sends the rest. [loop]
    func close() {
        changeLines { state in
            state.isEnding = true
            state.lines.giveUp()
        }
        endByHand()
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        outcomes.end()
    }

    /// Renews the leases of this process, and looks for requests that other processes have left.
    private func tick() {
        host.schedule(after: settings.lease / 3) { [weak self] in
            guard let self else { return }
            let (isStopped, isLook) = state.withLock { state in
                state.ticks += 1
                return (state.isStopped, state.ticks % 3 == 0)
            }
            if isStopped { return }
            renew()
            if isLook { kick() }
            tick()
        }
    }

    /// Renews the leases, and cancels requests that another process has taken because this one was too late.
    func renew() {
        store.perform { (session, _, time) throws(SQLiteFailure) in
            try session.renew(time: time)
        } then: { [self] result in
            guard case .success(let held) = result else { return }
            let lost = state.withLock { state in state.sendings.filter { !held.contains($0.key) }.map(\.value) }
            for sending in lost { sending.cancel() }
        }
    }

    /// Called when the network has become reachable or unreachable. [loop]
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

    /// Sends the selected requests that can be sent now, even if `automatic` is false. `done` runs when none of them
    /// can be sent any more.
    func replayByHand(_ selection: Selection, _ done: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.pausedUntil = 0
            for origin in state.origins.keys { state.origins[origin]?.pausedUntil = 0 }
            state.byHand.append((selection, done))
        }
        kick()
    }
}
