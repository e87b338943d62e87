import PlugboardStore
import TestSupport

@testable import PlugboardLimit

/// A table with a clock that the test moves. Only the timers fire that the table asks for.
final class TableScene {
    var table: LimitTable
    private(set) var now: Int64 = 0
    /// The admissions that were granted, a line each.
    let granted = Record()
    /// Whether an outage of the store `began` or `ended`, a line each.
    let news = Record()
    private var timers: [(time: Int64, fire: () -> Void)] = []
    private let store: SceneStore?

    /// - Parameter store: What the table shares its rates by.
    init(_ rules: [(String, String)], keys: Int = 1024, waiters: Int = 100_000, store: SceneStore? = nil) throws {
        table = LimitTable(try rules.map { try LimitRule($0.0, $0.1) }, keys: keys, waiters: waiters)
        table.isShared = store != nil
        self.store = store
    }

    static func name(_ rule: Int, _ values: String...) -> KeyName {
        KeyName(rule: rule, values: values.map { KeyName.Value(text: $0, isHidden: false) })
    }

    var lines: [String] { granted.lines }
    var allKeys: [LimitedKey] { table.keys.flatMap(\.values) }

    /// Lets a request begin or wait; nil if it is refused.
    @discardableResult
    func enter(
        _ names: [KeyName], as line: String = "", within wait: Int64 = .max, isSubrequest: Bool = false
    ) -> Admission? {
        let (entry, effects) = table.enter(names, within: wait, isSubrequest: isSubrequest, at: now)
        carryOut(effects)
        switch entry {
        case .granted(let admission):
            granted.add(line)
            return admission
        case .waits(let admission, _, _):
            carryOut(table.setWake(admission) { [granted] in granted.add(line) })
            return admission
        case .refused, .crowded: return nil
        }
    }

    /// Sends an attempt of an admission, if it has room.
    func attempt(_ admission: Admission?, _ names: [KeyName]? = nil) {
        guard let admission, table.begin(admission) != .waiting else { return }
        carryOut(table.count(names, of: admission, at: now))
    }

    func leave(_ admission: Admission?) { admission.map { carryOut(table.leave($0, at: now)) } }

    func suspend(_ admission: Admission?) { admission.map { carryOut(table.suspend($0, at: now)) } }

    func learn(_ asked: ServerRequest?, _ names: [KeyName], of admission: Admission? = nil) -> [Int] {
        let (rules, effects) = table.learn(asked, names, of: admission, at: now)
        carryOut(effects)
        return rules
    }

    func forget() { carryOut(table.forget(at: now)) }

    func took(
        _ result: Result<PortionStore.Reply, StoreFailure>, _ portions: LimitTable.Portions, from begin: Int64
    ) {
        carryOut(table.took(result, portions, from: begin, at: now))
    }

    private func carryOut(_ effects: LimitTable.Effects) {
        if let news = effects.news { self.news.add("\(news)".hasPrefix("ended") ? "ended" : "began") }
        for wake in effects.wakes { wake() }
        for (key, time) in effects.timers {
            at(time) { [unowned self] in carryOut(table.timerFired(key, for: time, at: now)) }
        }
        store?.carryOut(effects, for: self)
    }

    /// Calls a closure when the clock has this time.
    func at(_ time: Int64, _ fire: @escaping () -> Void) { timers.append((time, fire)) }

    /// Moves the clock, and fires the timers on the way.
    func advance(toSeconds seconds: Double) { advance(to: Int64(seconds * 1e9)) }

    func advance(to end: Int64) {
        while let index = timers.indices.min(by: { timers[$0].time < timers[$1].time }), timers[index].time <= end {
            let (time, fire) = timers.remove(at: index)
            now = max(now, time)
            fire()
        }
        now = max(now, end)
    }
}
