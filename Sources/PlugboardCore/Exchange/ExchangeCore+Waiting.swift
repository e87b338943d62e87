import EventLoop
import PlugboardKit

/// An exchange that stands still: until its ticket is woken, or its deadline has come.
final class Parking {
    let ticket: UInt64?
    private(set) var deadline: Int64?
    var timer: LoopTimer?
    private var rest: Int64?

    init(ticket: UInt64?, deadline: Int64?) {
        self.ticket = ticket
        self.deadline = deadline
    }

    /// A suspended exchange's deadlines stand still.
    func stopClock(_ now: Int64) {
        timer?.cancel()
        timer = nil
        rest = deadline.map { max($0 - now, 0) }
    }

    func startClock(_ now: Int64) {
        if let rest { deadline = now.addingReportingOverflow(rest).partialValue }
        rest = nil
    }
}

extension ExchangeCore {
    /// `wait`: the hook runs again when the ticket is woken, or at the deadline.
    func park(_ ticket: UInt64, until deadline: Int64?) {
        phase = .awaiting
        let parking = Parking(ticket: ticket, deadline: deadline)
        self.parking = parking
        watchDeadline(of: parking)
    }

    func watchDeadline(of parking: Parking) {
        parking.startClock(loop.now)
        guard let deadline = parking.deadline else { return }
        parking.timer = loop.schedule(at: deadline) { [unowned self] in unpark(as: .deadline) }
    }

    /// The ticket was woken, on whatever thread; here it is the loop's. Late is no harm.
    func woken(_ ticket: UInt64) {
        guard parking?.ticket == ticket else { return }
        unlessSuspended { [self] in
            if parking?.ticket == ticket { unpark(as: .woken) }
        }
    }

    /// The plugin at this slot is switched off: if its hook waits here, it waits no longer.
    func endWait(at slot: Slot) {
        guard let ticket = parking?.ticket, waitingSlot === slot else { return }
        unlessSuspended { [self] in
            if parking?.ticket == ticket { unpark(as: .deadline) }
        }
    }

    /// The slot whose hook runs again when the wait ends.
    var waitingSlot: Slot? {
        let slots = stage.slots(pipeline)
        return cursor < slots.count ? slots[cursor] : nil
    }

    private func unpark(as reason: Visit) {
        visit = parking?.ticket == nil ? .first : reason
        unpark()
        phase = .steering
        advance()
    }

    /// Nobody waits any more.
    func unpark() {
        guard let parking else { return }
        parking.timer?.cancel()
        if let ticket = parking.ticket { core.tickets.remove(ticket) }
        self.parking = nil
    }
}
