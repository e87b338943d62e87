import PlugboardBorder

/// The beginning and the end of an exchange.
extension ExchangeCore {
    /// The first thing that an exchange does, on its loop.
    ///
    /// - Parameter position: The slot at which the request enters; not 0 for most sub-requests.
    func begin(at position: Int = 0) {
        began = loop.now
        guard home.underWay.enter(self) else {
            steering.phase = .ended
            home.depart(self)
            Family.leaveParent(self)
            return outcome.fail(PlugboardError(.shutDown, "The kernel is shutting down and takes no requests."), self)
        }
        core.markSecrets(in: &request.head.fields)
        if !core.observers.wanted.isEmpty { tellObservers() }
        emit(.created, .provenance)
        if let body = request.head.body {
            // A request is a value that can be sent twice; its body then begins twice.
            guard let source = body.takeSource() else { return finish(failing: ExchangeCore.sentBefore) }
            request.body = BodyNode(adopted(source), home: home, checksLength: true)
        }
        let error = core.check(request.head.method, request.head.attributes, request.head.storedOptions)
        if let error { return finish(failing: error) }
        steering.exclusions.begin(at: position, disabled: core.disabled)
        steering.exclusions.switchOff(switchedOffSlots)
        startTimeout()
        steering.begin(at: position)
        emit(.started)
        advance()
    }

    private static let sentBefore = PlugboardError(
        .bodyRead,
        "The request's body was sent before, and a stream can be sent only once. Make a new request with a new body, or send "
            + "the body as bytes or as a file.")

    private func adopted(_ source: any BodySource) -> any BodySource {
        if core.loops.count == 1 { return source }
        // A plugin's body, which must be pulled on its own loop.
        return (source as? BodyNode)?.adopted(by: home) ?? source
    }

    /// The slots that the request's attributes, or its origin, switch off now.
    var switchedOffSlots: SlotSet { core.switchedOff(by: request.head.attributes, for: request.head.url) }

    private func startTimeout() {
        let stored = request.head.storedOptions
        let limit = stored?.options.timeout == nil ? core.defaults.timeout : stored?.timeout ?? .max
        let (deadline, isFar) = began.addingReportingOverflow(limit)
        if isFar { return }
        timeoutLimit = limit
        // A closure that captures only a strong reference needs no memory. The exchange cancels the timer when it ends.
        timeout = loop.schedule(at: deadline) { [self] in endLate() }
    }

    /// Ends the exchange, because its timeout has passed.
    private func endLate() {
        let host = Origin(url: request.head.url).map { "with \($0.host) " } ?? ""
        finish(
            failing: PlugboardError(
                .timeoutExchange,
                "The exchange \(host)did not end within \(DurationText(.nanoseconds(timeoutLimit))), all attempts "
                    + "included: \(currentActivity).",
                attempt: attempts.last), .cancelled)
    }

    /// What the exchange does now, as the end of a sentence.
    private var currentActivity: String {
        if isSuspended { return "it was suspended" }
        if let quota = place?.quota { return "it waited for \(quota.description)" }
        if steering.phase != .flowing, let parking {
            guard parking.ticket != nil, let slot = waitingSlot else { return "it waited for the next attempt" }
            return "the plugin \(slot.id) waited in \(steering.stage.hook)"
        }
        let isFlowing = steering.phase == .flowing
        if let attempt = attempts.current, !attempt.isOver {
            if let phase = attempt.control?.phase { return "in attempt \(attempts.count), \(phase.clause)" }
            if response == nil, !isFlowing { return "attempt \(attempts.count) had no response yet" }
        }
        if isFlowing { return "the response's body was not read to its end" }
        return response == nil ? "it was on its way through the plugins" : "a plugin was reading the response's body"
    }

    /// Releases everything after the last turn is closed.
    func leave() {
        timeout?.cancel()
        timeout = nil
        home.limits.withdraw(self)
        Family.leaveParent(self)
        for child in family.takeChildren() { child.cancel() }
        for body in request.takeBodies() { body.release() }
        releaseExchangeStates()
        attempts.current = nil
        response = nil
        _ = suspension.end()
        if isNumbered { home.numbers.remove(number) }
        home.leave(self)
    }
}
