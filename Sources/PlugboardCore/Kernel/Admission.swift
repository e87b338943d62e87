import EventLoop

/// Which attempts run and which wait for a connection, where `kernel.connections` limits them.
///
/// Exchanges wait in the order in which they came; one that ends while it waits leaves the queue at once. A connection
/// that becomes free because its exchange was ended from outside (a cancel, a timeout) is held back, until no exchange
/// was ended from outside for a moment: a program that cancels all its exchanges must not start those that it is about
/// to cancel.
///
/// Everything is called on the loop.
final class Admission {
    /// How long no exchange must have been ended from outside before connections that are held back are used, in
    /// nanoseconds.
    private static let quietTime: Int64 = 5_000_000
    /// How long a connection may be held back, in nanoseconds.
    private static let holdLimit: Int64 = 50_000_000

    /// 0 for no limit.
    private let limit: Int
    /// How many attempts run.
    private var running = 0
    /// How many connections are free and held back.
    private var heldCount = 0
    private var heldSince: Int64 = 0
    private var alarm: SystemAlarm?
    private var isAdmitting = false
    private var queue = ExchangeList<Queued>()

    init(limit: Int, loop: EventLoop) {
        self.limit = limit
        if limit > 0 {
            alarm = SystemAlarm(loop: loop) { [weak self] in
                self?.heldCount = 0
                self?.admitWaiting()
            }
        }
    }

    /// Begins an attempt now, or when another one has ended. Sub-requests never wait, because an exchange that waits
    /// for one keeps its connection.
    func admit(_ exchange: ExchangeCore) {
        if limit == 0 || exchange.family.depth > 0 || (queue.first == nil && hasFreeConnection) {
            running += 1
            exchange.performAttempt()
        } else {
            queue.append(exchange)
        }
    }

    /// An attempt that was admitted is over.
    ///
    /// - Parameter isFromOutside: Whether a cancel or the exchange's timeout has ended it.
    func attemptEnded(isFromOutside: Bool = false) {
        running -= 1
        guard queue.first != nil else { return }
        if isFromOutside {
            holdBack()
            heldCount += 1
        } else {
            admitWaiting()
        }
    }

    /// Whether this exchange waits for a connection.
    func hasQueued(_ exchange: ExchangeCore) -> Bool { queue.contains(exchange) }

    /// The exchange has ended: if it waits, it leaves the queue.
    func withdraw(_ exchange: ExchangeCore) {
        if queue.remove(exchange) && heldCount > 0 { holdBack() }
    }

    private var hasFreeConnection: Bool { running + heldCount < limit }

    private func admitWaiting() {
        // An exchange that cannot begin gives its connection back at once, within this loop.
        guard !isAdmitting else { return }
        isAdmitting = true
        while hasFreeConnection, let exchange = queue.first {
            queue.remove(exchange)
            // It is about to end.
            if exchange.isCancelWanted || exchange.isOverdue { continue }
            running += 1
            exchange.performAttempt()
        }
        isAdmitting = false
        guard queue.first == nil else { return }
        heldCount = 0
        alarm?.clear()
    }

    /// Connections are held back for a while from now on.
    private func holdBack() {
        guard let alarm else { return }
        if heldCount == 0 { heldSince = alarm.now }
        alarm.set(min(alarm.now + Admission.quietTime, heldSince + Admission.holdLimit))
    }
}
