import PlugboardEventLoop
import PlugboardMessages

/// Which attempts run and which wait for a connection: `kernel.connections` limits them all, and
/// `kernel.connectionsPerHost` limits those to one origin.
///
/// An exchange first waits for its host and then for all, so that many exchanges to one host do not delay those to
/// others. A connection that becomes free because its exchange was ended from outside (a cancel, a timeout) is held
/// back until no exchange was ended from outside for a moment: a program that cancels all its exchanges must not start
/// those that it is about to cancel.
///
/// Hosts are counted only while so many attempts run that one host could have too many. A host whose connections are
/// shared (HTTP/2) is not limited.
///
/// The limits hold for whatever transport a kernel has; each loop has its own, with its share of both. Behind them,
/// `ConnectionGate` lets attempts share a connection that is being opened, `ConnectionChoice` says which connections an
/// attempt may use, and libcurl keeps idle ones. Everything is called on the loop.
package final class ConnectionLimits {
    /// How long connections are still held back after the latest end from outside, in nanoseconds.
    private static let quietTime: Int64 = 5_000_000
    /// How long a connection may be held back, in nanoseconds.
    private static let holdLimit: Int64 = 50_000_000

    private let all: ConnectionQuota
    private let hostShare: LimitShare
    /// 0 for no limit.
    private var hostLimit: Int { hostShare.own }
    /// The hosts of the attempts that run or wait; empty while hosts are not counted.
    // Unchecked, because changing it calls no other code.
    @exclusivity(unchecked) private var hosts: [Origin: ConnectionQuota] = [:]

    /// The quotas that hold connections back.
    private var holding: [ConnectionQuota] = []
    private var heldSince: Int64 = 0
    private unowned let loop: EventLoop
    /// Made when it is needed first: a weak reference makes all others to the object slower.
    private lazy var alarm = SystemAlarm(loop: loop) { [weak self] in self?.useHeld() }

    /// Limits for the exchanges of one loop.
    package init(all: LimitShare, perHost: LimitShare, loop: EventLoop) {
        self.all = ConnectionQuota(all)
        // One host cannot have more connections than all.
        hostShare = all.own > 0 && all.own <= perHost.own ? LimitShare(of: 0) : perHost
        self.loop = loop
    }

    /// Begins an attempt now, or when there is a connection for it.
    ///
    /// - Parameters:
    ///   - url: Where the attempt is sent; used only while hosts are counted.
    ///   - underWay: All exchanges of the loop; called when hosts begin to be counted.
    package func admit(
        _ user: any ConnectionUser, to url: @autoclosure () -> String, among underWay: () -> [any ConnectionUser]
    ) {
        if hostLimit > 0, !hosts.isEmpty || all.inUse + all.heldCount >= hostLimit {
            if hosts.isEmpty { countHosts(of: underWay()) }
            if let origin = Origin(url: url()) {
                let host = host(origin)
                guard host.takeOrQueue(user) else { return }
                user.placed().host = host
            }
        }
        admitToAll(user)
    }

    /// The host has a connection for the attempt, if hosts are counted.
    private func admitToAll(_ user: any ConnectionUser) {
        if all.takeOrQueue(user) { user.beginOnFreeConnection() }
    }

    /// The attempt of this exchange, which was admitted, is over.
    ///
    /// - Parameter isFromOutside: Whether a cancel or the exchange's timeout has ended it.
    package func attemptEnded(_ user: any ConnectionUser, isFromOutside: Bool = false) {
        giveBack(to: all, isFromOutside: isFromOutside)
        if let place = user.place { leaveHost(place, isFromOutside: isFromOutside) }
    }

    /// The exchange has ended: if it waits, it leaves the queue.
    package func withdraw(_ user: any ConnectionUser) {
        guard let place = user.place else { return }
        if let quota = place.quota {
            quota.remove(place)
            if quota.heldCount > 0 { delayUse() }
            if quota.host != nil { forgetIfIdle(quota) }
        }
        // It has waited for a connection while its host had one for it.
        leaveHost(place, isFromOutside: true)
    }

    /// The head of the response has come.
    ///
    /// - Parameter isShared: Whether other attempts can use the same connection at the same time.
    package func headReceived(_ user: any ConnectionUser, isShared: Bool) {
        guard let host = user.place?.host else { return }
        host.isShared = isShared
        if isShared { admitWaiting(at: host) }
    }

    // MARK: Hosts

    private func host(_ origin: Origin) -> ConnectionQuota {
        if let host = hosts[origin] { return host }
        let host = ConnectionQuota(hostShare, host: origin)
        hosts[origin] = host
        return host
    }

    /// Counts the attempts that run. None waits, because fewer ran than one host may have.
    private func countHosts(of users: [any ConnectionUser]) {
        for user in users {
            guard let attempt = user.attemptUnderWay, let origin = Origin(url: attempt.url) else { continue }
            let host = host(origin)
            host.take()
            if attempt.sharesConnection { host.isShared = true }
            user.placed().host = host
        }
    }

    private func leaveHost(_ place: ConnectionPlace, isFromOutside: Bool) {
        guard let host = place.host else { return }
        place.host = nil
        giveBack(to: host, isFromOutside: isFromOutside)
        forgetIfIdle(host)
    }

    private func forgetIfIdle(_ quota: ConnectionQuota) {
        if let origin = quota.host, quota.inUse == 0, !quota.hasWaiting, hosts[origin] === quota { hosts[origin] = nil }
    }

    // MARK: Those that wait

    private func giveBack(to quota: ConnectionQuota, isFromOutside: Bool) {
        quota.giveBack()
        guard quota.hasWaiting else { return }
        if isFromOutside {
            if quota.heldCount == 0 { holding.append(quota) }
            quota.heldCount += 1
            delayUse()
        } else {
            admitWaiting(at: quota)
        }
    }

    private func admitWaiting(at quota: ConnectionQuota) {
        // An exchange that cannot begin gives its connection back at once, within this loop.
        guard !quota.isAdmitting else { return }
        quota.isAdmitting = true
        while let user = quota.takeForNext() {
            if quota === all {
                user.beginOnFreeConnection()
            } else {
                user.placed().host = quota
                admitToAll(user)
            }
        }
        quota.isAdmitting = false
        if quota.heldCount > 0, !quota.hasWaiting { stopHolding(quota) }
    }

    // MARK: Connections held back

    /// Connections are held back for a while from now on.
    private func delayUse() {
        if heldSince == 0 { heldSince = alarm.now }
        alarm.set(min(alarm.now + ConnectionLimits.quietTime, heldSince + ConnectionLimits.holdLimit))
    }

    private func useHeld() {
        let quotas = holding
        holding = []
        heldSince = 0
        for quota in quotas {
            quota.heldCount = 0
            admitWaiting(at: quota)
            forgetIfIdle(quota)
        }
    }

    private func stopHolding(_ quota: ConnectionQuota) {
        quota.heldCount = 0
        holding.removeAll { $0 === quota }
        if holding.isEmpty {
            heldSince = 0
            alarm.clear()
        }
    }
}
