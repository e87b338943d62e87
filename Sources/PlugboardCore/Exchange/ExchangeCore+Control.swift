import PlugboardBorder

/// What a program, or the kernel, does to an exchange from outside: cancelling, suspending, resuming.
extension ExchangeCore {
    /// Ends the exchange soon: `isCancelWanted` is true at once, and the loop does the rest. [any]
    func requestCancel() {
        let wasWanted = cancelWish.exchange(true, ordering: .relaxed)
        if !wasWanted { loop.enqueue { self.cancel() } }
    }

    /// Whether a program has asked to cancel the exchange. [any]
    var isCancelWanted: Bool { cancelWish.load(ordering: .relaxed) }

    /// Whether its timeout has passed, and will end it in this turn of the loop or the next.
    var isOverdue: Bool {
        guard let timeout else { return false }
        return timeout.deadline <= loop.now
    }

    /// Ends the exchange now, whatever it does; no steering hook is called.
    func cancel(_ error: PlugboardError = PlugboardError(.cancelled, "The exchange was cancelled.")) {
        guard steering.phase != .ended else { return }
        emit(.willCancel)
        emit(.cancelled)
        finish(failing: error, .cancelled)
    }

    /// Stops hooks, the transport and wait deadlines; the exchange's timeout runs on.
    func suspend() {
        guard steering.phase != .ended, !isSuspended else { return }
        emit(.willSuspend)
        suspension.begin()
        attempts.current?.control?.suspend()
        parking?.stopClock(loop.now)
        emit(.suspended)
    }

    func resume() {
        guard steering.phase != .ended, isSuspended else { return }
        let jobs = suspension.end()
        emit(.resumed)
        // Done first: a transport may report within its `resume`, and the hooks that this calls may park the exchange.
        if let parking { watchDeadline(of: parking) }
        attempts.current?.control?.resume()
        for job in jobs { job() }
        advance()
    }

    /// Runs the postponed jobs although the exchange was suspended, because it ends.
    func endSuspension() {
        for job in suspension.end() { job() }
    }

    /// Runs a job now, or as soon as the exchange is no longer suspended.
    func unlessSuspended(_ job: @escaping () -> Void) {
        if isSuspended { suspension.afterwards(job) } else { job() }
    }
}
