import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite

/// Decides what may be sent now, and takes it from the file.
extension Replayer {
    /// Sends as much as may be sent now. From any thread.
    func kick() {
        enum Step { case nothing, ended, claim(Order), pause(Int64) }
        let now = host.now.nanoseconds
        let step = state.withLock { state -> Step in
            guard state.isStarted, !state.isStopped, !state.isProbing else { return .nothing }
            if state.isEnding { return .ended }
            if state.isClaiming {
                state.isAskedMeanwhile = true
                return .nothing
            }
            let maySend = isAutomatic || !state.byHand.isEmpty
            let isFirst = !state.hasLooked && !host.isQuiet
            guard maySend || state.lines.hasWaiters || isFirst else { return .nothing }
            guard now >= state.pausedUntil else { return .pause(state.pausedUntil) }
            let room = settings.concurrency - state.running.count
            guard room > 0 else { return .nothing }
            state.isClaiming = true
            var order = Order(needsProbe: settings.probe != nil && !state.isProbed)
            for (origin, reach) in state.origins {
                if reach.isProven { order.proven.insert(origin) }
                guard reach.pausedUntil > now else { continue }
                order.paused.insert(origin)
                order.pauseEnd = min(order.pauseEnd, reach.pausedUntil)
            }
            for entry in state.running.values where !order.proven.contains(entry.origin) {
                order.paused.insert(entry.origin)
            }
            if order.needsProbe { return .claim(order) }
            order.room = room
            order.choice =
                isAutomatic || state.byHand.contains { $0.selection.naming.isAll }
                ? .due : .selected(state.byHand.map(\.selection))
            if !maySend { order.choice = nil }
            if isAutomatic { order.lines = state.lines.waitedFor }
            return .claim(order)
        }
        switch step {
        case .nothing: return
        case .ended: endByHand()
        case .pause(let time):
            setTimer(time)
            endByHand()
        case .claim(let order): claim(order)
        }
    }

    /// What a claim may take.
    private struct Order: Sendable {
        var needsProbe: Bool
        var room = 0
        /// Nil takes only what exchanges wait for.
        var choice: QueueClaim.Choice?
        /// The lines whose requests are taken first, because exchanges wait for them.
        var lines: [String] = []
        /// Origins to which nothing is sent now, because they are paused, or a request to them must end first.
        var paused: Set<String> = []
        var proven: Set<String> = []
        /// When the first of the pauses ends.
        var pauseEnd = Int64.max
    }

    private struct Claim: Sendable {
        var entries: [ClaimedEntry] = []
        var nextDue: Int64?
        /// Lines that exchanges wait for, and that have no requests.
        var free: [String] = []
        /// Lines that exchanges wait for, and that have requests.
        var busy: [String] = []
        var expired: [String] = []
        var now: Int64 = 0
    }

    private func claim(_ order: Order) {
        store.perform { [self] (session, now, time) throws(SQLiteFailure) in
            // Sending frees space, so it must go on while the disk is full.
            try session.together(removes: true) { () throws(SQLiteFailure) in try perform(order, session, now, time) }
        } then: { [self] result in
            switch result {
            case .success(let claim):
                news.fileWorks()
                take(claim, order)
            case .failure(let failure):
                news.warn(failure)
                changeLines { state in
                    state.isClaiming = false
                    state.isAskedMeanwhile = false
                    state.hasLooked = true
                    state.lines.giveUpBusy()
                }
                setTimer(host.now.nanoseconds + Replayer.retryPeriod)
                endByHand()
            }
        }
    }

    /// Runs an order on the store's thread, and returns what it has claimed.
    private func perform(
        _ order: Order, _ session: any QueueSession, _ now: Int64, _ time: Int64
    ) throws(SQLiteFailure) -> Claim {
        var claim = Claim()
        claim.now = now
        let (nextExpiry, running, passed) = state.withLock { ($0.nextExpiry, Set($0.running.keys), $0.lines.passed) }
        try session.takeBack(running: running, now: now, time: time)
        let isTimeToExpire = time >= nextExpiry
        if isTimeToExpire {
            claim.expired = try session.expire(now: now, time: time, isStart: nextExpiry == .min)
        }
        // Origins that get no more, because a request to them is under way already.
        var sending = order.paused
        func add(_ count: Int, _ choice: QueueClaim.Choice, proven: Set<String>?) throws(SQLiteFailure) {
            // An exchange of this process precedes the requests that came while it is being sent.
            let taken = try session.claim(
                QueueClaim(count: count, choice: choice, paused: sending, proven: proven, held: passed), now: now,
                time: time)
            claim.entries += taken.entries
            // With these, the end of the exchange that holds a line starts the next claim.
            claim.busy += taken.heldBack
            for entry in taken.entries where !order.proven.contains(entry.origin) { sending.insert(entry.origin) }
        }
        for line in order.lines where claim.entries.count < order.room {
            try add(1, .line(line), proven: nil)
        }
        if let choice = order.choice, order.room > claim.entries.count {
            try add(order.room - claim.entries.count, choice, proven: order.proven)
        }
        // Nothing more is sent once the kernel closes.
        if state.withLock({ $0.isEnding }) {
            try session.putBack(claim.entries.map(\.sequence))
            claim.entries = []
        }
        // Requests that are due but not taken are held or not selected, so later ones count. For a probe, all count.
        if claim.entries.isEmpty, order.needsProbe || order.choice != nil {
            claim.nextDue = try session.nextDue(
                except: order.paused, after: order.needsProbe ? .min : now, now: now)
        }
        for line in state.withLock({ $0.lines.waitedFor }) {
            if try session.isBusy(line) { claim.busy.append(line) } else { claim.free.append(line) }
        }
        if isTimeToExpire { state.withLock { $0.nextExpiry = time + Replayer.expiryPeriod } }
        return claim
    }

    private func take(_ claim: Claim, _ order: Order) {
        let isDue = claim.nextDue.map { $0 <= claim.now || $0 > claim.now + policy.delayLimit.nanoseconds } ?? false
        let (isAsked, isIdle, isWaitedFor) = changeLines { state -> (Bool, Bool, Bool) in
            state.isClaiming = false
            state.hasLooked = true
            for entry in claim.entries { state.running[entry.sequence] = entry }
            for line in claim.free { state.lines.set(line, isBusy: false) }
            for line in claim.busy { state.lines.set(line, isBusy: true) }
            if order.needsProbe, isDue, !state.isEnding, isAutomatic || !state.byHand.isEmpty {
                state.isProbing = true
            }
            defer { state.isAskedMeanwhile = false }
            return (state.isAskedMeanwhile, state.running.isEmpty, state.lines.hasWaiters)
        }
        for id in claim.expired {
            news.died(id, .queueExpired)
            outcomes.ended(id)
        }
        for entry in claim.entries { send(entry) }
        if state.withLock({ $0.isProbing }) { return probe() }
        if order.pauseEnd < .max { setTimer(order.pauseEnd) }
        // Another process may empty a line that exchanges wait for.
        if isWaitedFor { setTimer(host.now.nanoseconds + Replayer.lookPeriod) }
        // A time that was reached while the file was read is tried at once.
        if let due = claim.nextDue {
            setTimer(host.now.nanoseconds + min(max(due - claim.now, 1_000_000), settings.delayLimit.nanoseconds))
        }
        if isAsked { return kick() }
        if isIdle { endByHand() }
    }

    func endByHand() {
        for done in state.withLock({ $0.takeEndedCommands() }) { done() }
    }

    func setTimer(_ time: Int64) {
        let now = host.now.nanoseconds
        let number = state.withLock { state -> UInt64? in
            // A timer whose time is over is about to run, or has run.
            if let set = state.timer, set.time <= time, set.time > now { return nil }
            state.timer?.timer?.cancel()
            state.timers += 1
            state.timer = (time, state.timers, nil)
            return state.timers
        }
        guard let number else { return }
        let timer = host.schedule(after: .nanoseconds(max(time - now, 0))) { [weak self] in
            self?.state.withLock { if $0.timer?.number == number { $0.timer = nil } }
            self?.kick()
        }
        // The timer may have run already, and another may have replaced it.
        state.withLock { if $0.timer?.number == number { $0.timer?.timer = timer } }
    }
}
