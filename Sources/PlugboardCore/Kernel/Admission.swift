import EventLoop

/// Which attempts run and which wait for a connection, where `kernel.connections` limits them.
///
/// Exchanges wait in the order in which they came; one that ends while it waits leaves the queue at once. A slot that was freed because
/// its exchange was ended from outside (a cancel, a timeout) is given to the next one only when no exchange has been ended so for a
/// moment: a program that cancels all its exchanges must not start those that it is about to cancel.
///
/// Everything is called on the loop.
final class Admission {
    /// Nanoseconds without an end from outside, after which slots freed by such ends are given away.
    private static let quietTime: Int64 = 5_000_000
    /// The longest that such a slot stays empty, in nanoseconds.
    private static let holdLimit: Int64 = 50_000_000

    /// 0 for no limit.
    private let limit: Int
    private var running = 0
    /// Places of those that run which are free and not given away yet.
    private var heldCount = 0
    private var heldSince: Int64 = 0
    private var alarm: SystemAlarm?
    private var isGivingAway = false

    // The queue is a list through the exchanges, so that leaving it costs the same wherever an exchange stands.
    private var first: ExchangeCore?
    private unowned(unsafe) var last: ExchangeCore?

    init(limit: Int, loop: EventLoop) {
        self.limit = limit
        if limit > 0 {
            alarm = SystemAlarm(loop: loop) { [weak self] in
                self?.heldCount = 0
                self?.giveAway()
            }
        }
    }

    /// Begins an attempt now, or when another has ended. Sub-requests do not wait: those who wait for them hold slots.
    func admit(_ exchange: ExchangeCore) {
        if limit == 0 || exchange.depth > 0 || (first == nil && hasPlace) {
            running += 1
            exchange.performAttempt()
        } else {
            append(exchange)
        }
    }

    /// An attempt that was admitted is over.
    ///
    /// - Parameter isFromOutside: Whether a cancel or the exchange's timeout has ended it.
    func attemptEnded(isFromOutside: Bool = false) {
        running -= 1
        guard first != nil else { return }
        if isFromOutside {
            hold()
            heldCount += 1
        } else {
            giveAway()
        }
    }

    /// The exchange has ended: if it waits, it leaves the queue.
    func withdraw(_ exchange: ExchangeCore) {
        guard exchange.isQueued else { return }
        remove(exchange)
        if heldCount > 0 { hold() }
    }

    private var hasPlace: Bool { running + heldCount < limit }

    private func giveAway() {
        // One that cannot begin gives its slot back at once, within this loop.
        guard !isGivingAway else { return }
        isGivingAway = true
        while hasPlace, let exchange = first {
            remove(exchange)
            // Its end is on the way.
            if exchange.isCancelWanted || exchange.isOverdue { continue }
            running += 1
            exchange.performAttempt()
        }
        isGivingAway = false
        guard first == nil else { return }
        heldCount = 0
        alarm?.clear()
    }

    // MARK: Places that are held back

    private func hold() {
        guard let alarm else { return }
        if heldCount == 0 { heldSince = alarm.now }
        alarm.set(min(alarm.now + Admission.quietTime, heldSince + Admission.holdLimit))
    }

    // MARK: The queue

    private func append(_ exchange: ExchangeCore) {
        exchange.isQueued = true
        exchange.queuedBefore = last
        if let last { last.queuedAfter = exchange } else { first = exchange }
        last = exchange
    }

    private func remove(_ exchange: ExchangeCore) {
        let after = exchange.queuedAfter
        let before = exchange.queuedBefore
        exchange.isQueued = false
        exchange.queuedAfter = nil
        exchange.queuedBefore = nil
        if let after { after.queuedBefore = before } else { last = before }
        if let before { before.queuedAfter = after } else { first = after }
    }
}
