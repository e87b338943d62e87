import PlugboardBorder
import PlugboardEventLoop

/// Waiting: for a ticket, or for the delay of a resend.
extension ExchangeCore {
    /// `wait`: the hook runs again when the ticket is woken, or at the deadline. Without a ticket, the exchange
    /// continues at the deadline.
    func park(_ ticket: UInt64?, until deadline: Int64?) {
        steering.phase = .awaiting
        let parking = Parking(ticket: ticket, deadline: deadline)
        self.parking = parking
        watchDeadline(of: parking)
    }

    func watchDeadline(of parking: Parking) {
        parking.startClock(loop.now)
        guard let deadline = parking.deadline else { return }
        parking.timer = loop.schedule(at: deadline) { [unowned self] in unpark(as: .deadline) }
    }

    /// Called on the loop after the ticket was woken on any thread. Does nothing for a ticket that is not waited for.
    func woken(_ ticket: UInt64) { endWait(for: ticket, as: .woken) }

    /// Ends the wait of a hook whose plugin, in this slot, is switched off.
    func endWait(at slot: Slot) {
        guard let ticket = parking?.ticket, waitingSlot === slot else { return }
        endWait(for: ticket, as: .deadline)
    }

    private func endWait(for ticket: UInt64, as reason: Visit) {
        guard parking?.ticket == ticket else { return }
        unlessSuspended { [self] in
            if parking?.ticket == ticket { unpark(as: reason) }
        }
    }

    /// The slot whose hook runs again when the wait ends.
    var waitingSlot: Slot? { steering.nextSlot(pipeline.hooks).map { pipeline.slots[$0] } }

    private func unpark(as reason: Visit) {
        steering.visit = parking?.ticket == nil ? .first : reason
        unpark()
        steering.phase = .deciding
        advance()
    }

    /// Ends the wait.
    func unpark() {
        guard let parking else { return }
        parking.timer?.cancel()
        if let ticket = parking.ticket { home.tickets.remove(ticket) }
        self.parking = nil
    }
}
