import PlugboardEventLoop
import PlugboardMessages

/// Decides which attempts run and which wait for a connection: `kernel.connections` limits all of them, and
/// `kernel.connectionsPerHost` those to one origin.
///
/// An exchange first waits for its host and then for all, so that many exchanges to one host do not delay those to
/// others. A connection that becomes free because its exchange was ended from outside (a cancel, a timeout) is held
/// back, until no exchange was ended from outside for a moment: a program that cancels all its exchanges must not start
/// those that it is about to cancel.
///
/// Hosts are counted only while so many attempts run that one host could have too many. A host that responds in HTTP/2
/// is not limited, because its attempts share connections.
///
/// Each loop has its own admission, with its share of both limits. Everything is called on the loop.
final class Admission {
    /// How long no exchange may be ended from outside before held connections are used, in nanoseconds.
    private static let quietTime: Int64 = 5_000_000
    /// How long a connection may be held back, in nanoseconds.
    private static let holdLimit: Int64 = 50_000_000

    private let all: ConnectionLimit
    private let hostShare: Share
    /// The limit for one host; 0 for no limit.
    private var hostLimit: Int { hostShare.own }
    /// The hosts of the attempts that run or wait; empty while hosts are not counted.
    private var hosts: [Origin: ConnectionLimit] = [:]

    /// The limits that hold connections back.
    private var holding: [ConnectionLimit] = []
    private var heldSince: Int64 = 0
    private unowned let loop: EventLoop
    /// Made at the first use, because a weak reference makes all others to the object slower.
    private lazy var alarm = SystemAlarm(loop: loop) { [weak self] in self?.useHeld() }

    init(limit: Share, hostLimit: Share, loop: EventLoop) {
        all = ConnectionLimit(limit)
        // One host cannot have more connections than all.
        hostShare = limit.own > 0 && limit.own <= hostLimit.own ? Share(of: 0) : hostLimit
        self.loop = loop
    }

    /// Begins an attempt now, or when there is a connection for it.
    func admit(_ exchange: ExchangeCore) {
        if hostLimit > 0, !hosts.isEmpty || all.inUse + all.heldCount >= hostLimit {
            if hosts.isEmpty { countHosts(of: exchange.home.underWay.all) }
            if let origin = Origin(url: exchange.request.head.url) {
                let host = host(origin)
                guard host.takeOrQueue(exchange) else { return }
                exchange.attempts.host = host
            }
        }
        admitToAll(exchange)
    }

    /// Called when the host has a connection for the attempt, or hosts are not counted.
    private func admitToAll(_ exchange: ExchangeCore) {
        if all.takeOrQueue(exchange) { exchange.performAttempt() }
    }

    /// Called when the admitted attempt of this exchange is over.
    ///
    /// - Parameter isFromOutside: Whether a cancel or the exchange's timeout has ended it.
    func attemptEnded(_ exchange: ExchangeCore, isFromOutside: Bool = false) {
        giveBack(to: all, isFromOutside: isFromOutside)
        if exchange.attempts.host != nil { leaveHost(exchange, isFromOutside: isFromOutside) }
    }

    /// Called when the exchange has ended. If it waits, it leaves the queue.
    func withdraw(_ exchange: ExchangeCore) {
        if let line = exchange.attempts.waitsFor {
            line.remove(exchange)
            if line.heldCount > 0 { delayUse() }
            if line.host != nil { forgetIfIdle(line) }
        }
        // It has waited for a connection while its host had one for it.
        if exchange.attempts.host != nil { leaveHost(exchange, isFromOutside: true) }
    }

    /// Called when the head of the response has come.
    ///
    /// - Parameter isShared: Whether other attempts can use the same connection at the same time.
    func headReceived(_ exchange: ExchangeCore, isShared: Bool) {
        guard let host = exchange.attempts.host else { return }
        host.isShared = isShared
        if isShared { admitWaiting(at: host) }
    }

    // MARK: Hosts

    private func host(_ origin: Origin) -> ConnectionLimit {
        if let host = hosts[origin] { return host }
        let host = ConnectionLimit(hostShare, host: origin)
        hosts[origin] = host
        return host
    }

    /// Counts the attempts that run. None waits, because fewer ran than one host may have.
    private func countHosts(of exchanges: [ExchangeCore]) {
        for exchange in exchanges {
            guard let run = exchange.attempts.current, !run.isOver, let url = exchange.attempts.sentURL,
                let origin = Origin(url: url)
            else { continue }
            let host = host(origin)
            host.take()
            if run.sharesConnection { host.isShared = true }
            exchange.attempts.host = host
        }
    }

    private func leaveHost(_ exchange: ExchangeCore, isFromOutside: Bool) {
        guard let host = exchange.attempts.host else { return }
        exchange.attempts.host = nil
        giveBack(to: host, isFromOutside: isFromOutside)
        forgetIfIdle(host)
    }

    private func forgetIfIdle(_ limit: ConnectionLimit) {
        if let origin = limit.host, limit.inUse == 0, !limit.hasWaiting, hosts[origin] === limit { hosts[origin] = nil }
    }

    // MARK: Those that wait

    private func giveBack(to limit: ConnectionLimit, isFromOutside: Bool) {
        limit.giveBack()
        guard limit.hasWaiting else { return }
        if isFromOutside {
            if limit.heldCount == 0 { holding.append(limit) }
            limit.heldCount += 1
            delayUse()
        } else {
            admitWaiting(at: limit)
        }
    }

    private func admitWaiting(at limit: ConnectionLimit) {
        // An exchange that cannot begin gives its connection back at once, within this loop.
        guard !limit.isAdmitting else { return }
        limit.isAdmitting = true
        while let exchange = limit.takeForNext() {
            if limit === all {
                exchange.performAttempt()
            } else {
                exchange.attempts.host = limit
                admitToAll(exchange)
            }
        }
        limit.isAdmitting = false
        if limit.heldCount > 0, !limit.hasWaiting { stopHolding(limit) }
    }

    // MARK: Connections held back

    /// Holds connections back for a while from now on.
    private func delayUse() {
        if heldSince == 0 { heldSince = alarm.now }
        alarm.set(min(alarm.now + Admission.quietTime, heldSince + Admission.holdLimit))
    }

    private func useHeld() {
        let limits = holding
        holding = []
        heldSince = 0
        for limit in limits {
            limit.heldCount = 0
            admitWaiting(at: limit)
            forgetIfIdle(limit)
        }
    }

    private func stopHolding(_ limit: ConnectionLimit) {
        limit.heldCount = 0
        holding.removeAll { $0 === limit }
        if holding.isEmpty {
            heldSince = 0
            alarm.clear()
        }
    }
}
