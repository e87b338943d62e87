import PlugboardKit

/// Sending again: what may be, and what must be left behind.
extension ExchangeCore {
    /// A body that has begun, cannot be rewound, and is still to be sent stands in the way (rule 4).
    var canResend: Bool { stage != .request && (requestBody.map { !$0.hasBegun || $0.canRewind } ?? true) }

    /// Rewinds the body, and drops what belongs to the old origin if the request now goes elsewhere: secrets, the client's
    /// certificate and the server's pins.
    func prepareResend(by slot: Slot, after delay: Duration) {
        emit(.resendScheduled) {
            [
                ("by", .text(slot.id)), ("after", .integer(delay.nanoseconds)),
                ("attempt", .integer(Int64(self.attempts))),
            ]
        }
        if let old = urlBeforeResend, old != request.url, Origin(url: old) != Origin(url: request.url) {
            request.fields.removeSecrets()
            core.removeSecrets(from: &request.attributes)
            if request.hasOptions { request.options = request.options.forOtherOrigins }
            if !core.origins.isEmpty { switchOffAnew(inside: slot) }
        }
        if let body = requestBody, body.hasBegun, !body.rewind() { requestBody = BodyNode.broken(core: core) }
    }

    /// The exchange stands still for a while, then goes on.
    func pause(for delay: Duration) {
        phase = .awaiting
        let (deadline, isFar) = loop.now.addingReportingOverflow(delay.nanoseconds)
        let parking = Parking(ticket: nil, deadline: isFar ? nil : deadline)
        self.parking = parking
        watchDeadline(of: parking)
    }
}
