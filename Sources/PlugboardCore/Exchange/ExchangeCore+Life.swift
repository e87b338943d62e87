import PlugboardKit

/// How an exchange comes and goes.
extension ExchangeCore {
    /// The first thing that an exchange does, on its loop.
    func begin(at position: Int = 0) {
        guard core.enter(self) else {
            phase = .ended
            leaveAsker()
            return outcome.fail(PlugboardError(.shutDown, "The kernel is shutting down and takes no requests."), self)
        }
        emit(.created) { self.origins }
        // A request is a value: sent twice, its body begins twice.
        requestBody = request.body.map { BodyNode($0.source.again() ?? $0.source, core: core) }
        if let fault = core.check(request) { return finish(failing: fault) }
        deaf |= core.disabled
        skipped |= deaf
        // Who stands further out than a sub-request begins, takes no part in it, and yet hears its events: a cookie is a
        // cookie, whoever asked.
        skipped |= .slots(before: position)
        switchOff(core.switchedOff(by: request.attributes, for: request.url))
        if let limit = request.storedOptions?.options.timeout ?? core.settings.defaults.timeout { startTimeout(limit) }
        cursor = pipeline.requestSlots.firstIndex { $0.index >= position } ?? pipeline.requestSlots.count
        emit(.started)
        advance()
    }

    /// Leaves out slots, as the request and its origin say.
    private func switchOff(_ slots: UInt64) {
        deaf |= slots
        switchedOff |= slots & ~skipped
        skipped |= slots
    }

    /// The request goes to another origin: what its attributes say is read again, for the slots that it now enters.
    func switchOffAnew(inside slot: Slot) {
        let inside = ~UInt64.slots(before: slot.index + 1)
        let old = switchedOff & inside
        deaf &= ~old
        skipped &= ~old
        switchedOff &= ~old
        switchOff(core.switchedOff(by: request.attributes, for: request.url) & inside)
    }

    /// Gives back everything, once the last turn is closed.
    func leave() {
        timeout?.cancel()
        timeout = nil
        core.admission.withdraw(self)
        leaveAsker()
        let children = children
        self.children = []
        for child in children {
            child.asker = nil
            child.cancel()
        }
        for version in versions { version.body?.release() }
        versions = []
        requestBody?.release()
        requestBody = nil
        freeExchangeStates()
        attempt = nil
        response = nil
        whenResumed = []
        if isNumbered { core.unregister(self) }
        core.leave(self)
    }

    /// The exchange that this one was sent for need not cancel it any more.
    private func leaveAsker() {
        guard let asker else { return }
        asker.children.removeAll { $0 === self }
        self.asker = nil
    }

    private func startTimeout(_ limit: Duration) {
        let (deadline, isFar) = loop.now.addingReportingOverflow(limit.nanoseconds)
        if isFar { return }
        timeout = loop.schedule(at: deadline) { [unowned self] in
            let host = Origin(url: request.url).map { "with \($0.host) " } ?? ""
            finish(
                failing: PlugboardError(
                    .exchangeTimeout,
                    "The exchange \(host)did not end within \(limit.configured), all attempts included: \(whereItStands).",
                    attempt: attempts == 0 ? nil : attempts), .cancelled)
        }
    }

    /// What it does now, as the end of a sentence.
    private var whereItStands: String {
        if isSuspended { return "it was suspended" }
        if isQueued { return "it waited for one of the \(core.settings.connections) connections" }
        if phase == .flowing { return "the response's body was under way" }
        if let parking {
            guard parking.ticket != nil, let slot = waitingSlot else { return "it waited for the next attempt" }
            return "the plugin \(slot.id) waited in \(stage.hook)"
        }
        guard let attempt, !attempt.isOver else { return "it was on its way through the plugins" }
        return response == nil ? "attempt \(attempts) had no response yet" : "a plugin was reading the response's body"
    }

    // MARK: Ending from outside

    /// Ends the exchange soon: `isCancelWanted` is true at once, and the loop does the rest. [any]
    func requestCancel() {
        let wasWanted = cancelWish.exchange(true, ordering: .relaxed)
        if !wasWanted { loop.enqueue { self.cancel() } }
    }

    /// Whether a program has asked for the exchange's end. [any]
    var isCancelWanted: Bool { cancelWish.load(ordering: .relaxed) }

    /// Whether its timeout is due and will end it in this turn of the loop or the next.
    var isOverdue: Bool {
        guard let timeout else { return false }
        return timeout.deadline <= core.loop.now
    }

    /// Ends the exchange now, whatever it does; no steering hook is asked.
    func cancel(_ error: PlugboardError = PlugboardError(.cancelled, "The exchange was cancelled.")) {
        guard phase != .ended else { return }
        emit(.willCancel)
        emit(.cancelled)
        finish(failing: error, .cancelled)
    }

    /// Stops hooks, the transport and wait deadlines; the exchange's timeout runs on.
    func suspend() {
        guard phase != .ended, !isSuspended else { return }
        emit(.willSuspend)
        isSuspended = true
        attempt?.control?.suspend()
        parking?.stopClock(loop.now)
        emit(.suspended)
    }

    func resume() {
        guard phase != .ended, isSuspended else { return }
        isSuspended = false
        emit(.resumed)
        // A transport may answer within its `resume`, and the answer's hooks may park the exchange anew.
        if let parking { watchDeadline(of: parking) }
        attempt?.control?.resume()
        runSuspended()
        advance()
    }

    /// What came while the exchange was suspended; each job looks for itself whether it still matters.
    func runSuspended() {
        isSuspended = false
        let jobs = whenResumed
        whenResumed = []
        for job in jobs { job() }
    }

    /// Now, or as soon as the exchange is no longer suspended.
    func unlessSuspended(_ job: @escaping () -> Void) {
        if isSuspended { whenResumed.append(job) } else { job() }
    }
}
