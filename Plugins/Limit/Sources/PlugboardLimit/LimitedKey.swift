import PlugboardKit

/// One key of a rule: what its requests use, and which of them wait for it.
///
/// Sendable because all that changes is touched only under the lock of `Limits`.
final class LimitedKey: @unchecked Sendable {
    let name: KeyName
    let atOnce: Int?
    private(set) var windows: [RateWindow]
    /// What this process has of each rate, in the order of the windows; empty where no fleet shares them.
    var leases: [RateLease] = []
    /// Nil where no fleet shares the rates.
    private let outage: StoreOutage?
    /// The admissions that wait for it or have room.
    var holders = 0
    /// The admissions that have room, until they leave.
    var running = 0
    /// Those of them whose first attempt is still to come.
    var promised = 0
    /// No request begins before this time, in nanoseconds.
    private(set) var pausedUntil = Int64.min
    /// The requests that the server still takes until a time.
    private(set) var quota: (left: Int, until: Int64) = (0, .min)
    var probe = LimitProbe()
    /// The admissions that need a place at once, and those that do not, which come first.
    private var (queue, subrequests) = (FairQueue(), FairQueue())
    /// The time for which a timer is set; nil without one.
    var timer: Int64?
    private var kernelTimer: PluginHost.Timer?

    init(_ name: KeyName, _ rule: LimitRule, _ outage: StoreOutage?) {
        self.name = name
        atOnce = rule.atOnce
        windows = rule.rates.map { RateWindow($0) }
        self.outage = outage
        if outage == nil { return }
        let parts = rule.parts.map(\.text) + name.values.map(\.text)
        let text = "\(rule.text)\n\(parts.map { "\($0.utf8.count) \($0)" }.joined(separator: "\n"))"
        leases = rule.rates.map { RateLease($0, of: text) }
    }

    /// Whether it needs no portions, because the store has failed.
    private var isAlone: Bool { outage?.isOn != false }

    // MARK: Room

    /// When one more request has room: nil for now, `Int64.max` if that depends on others.
    ///
    /// - Parameter isSubrequest: Whether it needs no place at once.
    func opening(at now: Int64, _ isSubrequest: Bool) -> Int64? {
        ownOpening(at: now, isSubrequest) ?? (lacksPortions(at: now) ? .max : nil)
    }

    /// The same as far as the store has room.
    private func ownOpening(at now: Int64, _ isSubrequest: Bool) -> Int64? {
        if let atOnce, running >= atOnce, !isSubrequest { return .max }
        if probe.end(at: now) != nil { return .max }
        var opening = max(pausedUntil, quota.left <= promised ? quota.until : .min)
        for index in windows.indices {
            opening = max(opening, windows[index].opening(after: promised, at: now) ?? .min)
        }
        return opening > now ? opening : nil
    }

    private func lacksPortions(at now: Int64) -> Bool { !isAlone && leases.contains { $0.left(at: now) <= promised } }

    /// Whether all room that is missing is that of a fleet, and the store may still have some.
    func waitsForStore(at now: Int64, _ isSubrequest: Bool) -> Bool {
        if isAlone || ownOpening(at: now, isSubrequest) != nil { return false }
        return leases.contains { $0.left(at: now) <= promised && $0.mayGrow(at: now) }
    }

    /// How many portions of a rate to ask the store for.
    func ask(_ rate: Int, at now: Int64) -> Int? {
        guard let outage, now >= outage.nextAsk else { return nil }
        let count = leases[rate].ask(for: waiting + promised, room: windows[rate].left(at: now), at: now)
        // One asks for all whether the store works again.
        if outage.isOn, count != nil { outage.nextAsk = now + StoreOutage.pause }
        return count
    }

    /// The shortest time until an admission that comes now has room, in nanoseconds: those of its lane go first.
    func time(toPass admission: Admission, from opening: Int64, at now: Int64) -> Int64 {
        let before = (admission.isSubrequest ? subrequests : queue).count(in: lane(of: admission))
        let periods = windows.map { Duration.nanoseconds($0.rate.period) * (before / $0.rate.count) }
        return (.nanoseconds(max(opening - now, 0)) + (periods.max() ?? .zero)).nanoseconds
    }

    /// The requests that each rate has room for now.
    func left(at now: Int64) -> [(rate: String, count: Int)] {
        windows.indices.map {
            let left = min(windows[$0].left(at: now), isAlone ? .max : leases[$0].left(at: now))
            return (windows[$0].rate.text, max(left - promised, 0))
        }
    }

    /// Whether a new key would be the same.
    func isSpent(at now: Int64) -> Bool {
        guard holders == 0, pausedUntil <= now, quota.until <= now, leases.allSatisfy(\.isSpent) else { return false }
        return windows.indices.allSatisfy { windows[$0].left(at: now) == windows[$0].rate.count }
    }

    /// Keeps a timer that was started. Returns the one to cancel: this one, if another time was set since.
    func keep(_ started: PluginHost.Timer, for time: Int64) -> PluginHost.Timer? {
        if timer != time { return started }
        defer { kernelTimer = started }
        return kernelTimer
    }

    func count(at now: Int64) {
        for index in windows.indices { windows[index].add(at: now) }
        for index in leases.indices { leases[index].use(at: now, isAlone: isAlone) }
        quota.left = max(quota.left - 1, 0)
    }

    /// Takes what its server has asked for. Returns whether a pause became longer.
    func learn(_ asked: ServerRequest, at now: Int64) -> Bool {
        switch asked {
        case .pause(let time):
            let end = now + time.nanoseconds
            defer { pausedUntil = max(pausedUntil, end) }
            probe.demand()
            return end > pausedUntil
        case .quota(let left, let time):
            // Responses can overtake each other, so that what is left only falls until the end.
            quota = quota.until > now ? (min(quota.left, left), quota.until) : (left, now + time.nanoseconds)
            return false
        }
    }

    func forget() {
        (pausedUntil, quota, probe) = (.min, (0, .min), LimitProbe())
        for index in windows.indices { windows[index] = RateWindow(windows[index].rate) }
    }

    // MARK: Those that have room

    /// Gives an admission its place and its promise. Returns whether it goes ahead after a pause.
    func grant(_ admission: Admission, at now: Int64) -> Bool {
        running += 1
        promised += 1
        return probe.begin(admission, at: now)
    }

    /// If a pause has ended without requests that wait, none goes ahead.
    func endPause(at now: Int64) {
        if pausedUntil <= now, waiting == 0 { probe.skip() }
    }

    // MARK: Those that wait

    var waiting: Int { queue.count + subrequests.count }

    /// Whether others wait that go before an admission that comes now.
    func isWaitedFor(before admission: Admission) -> Bool {
        admission.isSubrequest ? subrequests.count > 0 : waiting > 0
    }

    /// Admissions of the same lane wait in order; lanes take turns. The key of most parts, but this one, is the lane.
    private func lane(of admission: Admission) -> ObjectIdentifier {
        ObjectIdentifier(admission.keys.first { $0 !== self } ?? self)
    }

    func append(_ admission: Admission) {
        let lane = lane(of: admission)
        if admission.isSubrequest { subrequests.append(admission, to: lane) } else { queue.append(admission, to: lane) }
    }

    func remove(_ admission: Admission) {
        let lane = lane(of: admission)
        if admission.isSubrequest {
            subrequests.remove(admission, from: lane)
        } else {
            queue.remove(admission, from: lane)
        }
    }

    /// The next admission that has room here.
    func popFirst(at now: Int64) -> Admission? {
        if subrequests.count > 0, opening(at: now, true) == nil { return subrequests.popFirst() }
        return queue.count > 0 && opening(at: now, false) == nil ? queue.popFirst() : nil
    }

    /// When it must be looked at again: those that wait have room, or a pause ends. Nil if only requests change it.
    func nextChange(at now: Int64) -> Int64? {
        var next: Int64?
        if subrequests.count > 0 { next = opening(at: now, true) ?? now }
        if queue.count > 0 { next = min(next ?? .max, opening(at: now, false) ?? now) }
        let end = max(pausedUntil, quota.until)
        if end > now { next = min(next ?? .max, end) }
        if let end = probe.end(at: now) { next = min(next ?? .max, end) }
        for lease in leases {
            next = min(next ?? .max, lease.nextChange(isWaitedFor: waiting > 0 && !isAlone, at: now) ?? .max)
        }
        return next == .max ? nil : next
    }
}
