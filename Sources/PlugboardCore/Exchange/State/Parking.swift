import PlugboardEventLoop

/// An exchange that waits: until its ticket is woken, or until its deadline.
final class Parking {
    /// Nil for an exchange that waits for the delay of a resend.
    let ticket: UInt64?
    /// The deadline on the loop's clock; nil for none.
    private(set) var deadline: Int64?
    var timer: LoopTimer?
    private var rest: Int64?

    init(ticket: UInt64?, deadline: Int64?) {
        self.ticket = ticket
        self.deadline = deadline
    }

    /// Called when the exchange is suspended. Keeps the remaining time until it is resumed.
    func stopClock(_ now: Int64) {
        timer?.cancel()
        timer = nil
        rest = deadline.map { max($0 - now, 0) }
    }

    /// Called when the exchange begins to wait, and when it is resumed.
    func startClock(_ now: Int64) {
        if let rest { deadline = now.addingReportingOverflow(rest).partialValue }
        rest = nil
    }
}
