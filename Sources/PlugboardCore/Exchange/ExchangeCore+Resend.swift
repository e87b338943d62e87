import PlugboardBorder

/// Resending: when it is allowed, and what is removed from the request.
extension ExchangeCore {
    /// False if the body has begun, cannot be rewound, and is still to be sent (rule 4).
    var canResend: Bool {
        steering.stage != .request && (request.body.map { !$0.hasBegun || $0.canBeginAgain } ?? true)
    }

    /// Rewinds the body. If the request now goes to another origin, removes what belongs to the old one: secrets, the
    /// client's certificate and the server's pins.
    func prepareResend(by slot: Slot, after delay: Duration) {
        emit(.resendScheduled, .resend(by: slot.index, after: delay))
        let url = request.head.url
        if let old = request.urlBeforeResend, old != url, Origin(url: old) != Origin(url: url) {
            request.head.fields.removeSecrets()
            core.removeSecrets(from: &request.head.attributes)
            if request.head.hasOptions { request.head.options = request.head.options.forOtherOrigins }
            if !core.origins.isEmpty {
                steering.exclusions.replaceSwitchedOff(by: switchedOffSlots, inside: slot.index)
            }
        }
        if let body = request.body, body.hasBegun, !body.rewind() { request.body = BodyNode.broken(home: home) }
    }

    /// Waits for the delay of a resend, then continues.
    func pause(for delay: Duration) {
        let (deadline, isFar) = loop.now.addingReportingOverflow(delay.nanoseconds)
        park(nil, until: isFar ? nil : deadline)
    }
}
