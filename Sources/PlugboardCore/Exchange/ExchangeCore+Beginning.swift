import PlugboardKit

/// How an exchange begins and leaves.
extension ExchangeCore {
    /// The first thing that an exchange does, on its loop.
    ///
    /// - Parameter position: The slot at which the request enters; not 0 for most sub-requests.
    func begin(at position: Int = 0) {
        guard core.underWay.enter(self) else {
            steering.phase = .ended
            Family.leaveAsker(self)
            return outcome.fail(PlugboardError(.shutDown, "The kernel is shutting down and takes no requests."), self)
        }
        emit(.created) { self.origins }
        // A request is a value: sent twice, its body begins twice.
        request.body = request.head.body.map { BodyNode($0.source.again() ?? $0.source, core: core) }
        if let error = core.check(request.head) { return finish(failing: error) }
        steering.exclusions.begin(at: position, disabled: core.disabled)
        steering.exclusions.switchOff(switchedOffSlots)
        if let limit = request.head.storedOptions?.options.timeout ?? core.settings.defaults.timeout {
            startTimeout(limit)
        }
        steering.begin(at: position)
        emit(.started)
        advance()
    }

    /// The slots that the request's attributes, or its origin, switch off now.
    var switchedOffSlots: SlotSet { core.switchedOff(by: request.head.attributes, for: request.head.url) }

    private func startTimeout(_ limit: Duration) {
        let (deadline, isFar) = loop.now.addingReportingOverflow(limit.nanoseconds)
        if isFar { return }
        timeout = loop.schedule(at: deadline) { [unowned self] in
            let host = Origin(url: request.head.url).map { "with \($0.host) " } ?? ""
            finish(
                failing: PlugboardError(
                    .exchangeTimeout,
                    "The exchange \(host)did not end within \(limit.configured), all attempts included: "
                        + "\(currentActivity).",
                    attempt: attempts.last), .cancelled)
        }
    }

    /// What the exchange does now, as the end of a sentence.
    private var currentActivity: String {
        if isSuspended { return "it was suspended" }
        if let line = attempts.waitsFor { return "it waited for \(line.description)" }
        if steering.phase == .flowing { return "the response's body was under way" }
        if let parking {
            guard parking.ticket != nil, let slot = waitingSlot else { return "it waited for the next attempt" }
            return "the plugin \(slot.id) waited in \(steering.stage.hook)"
        }
        guard let attempt = attempts.current, !attempt.isOver else { return "it was on its way through the plugins" }
        return response == nil
            ? "attempt \(attempts.count) had no response yet" : "a plugin was reading the response's body"
    }

    /// Gives back everything, once the last turn is closed.
    func leave() {
        timeout?.cancel()
        timeout = nil
        core.admission.withdraw(self)
        Family.leaveAsker(self)
        for child in family.takeChildren() { child.cancel() }
        for body in request.takeBodies() { body.release() }
        releaseExchangeStates()
        attempts.current = nil
        response = nil
        _ = suspension.end()
        if isNumbered { core.numbers.remove(number) }
        core.leave(self)
    }
}
