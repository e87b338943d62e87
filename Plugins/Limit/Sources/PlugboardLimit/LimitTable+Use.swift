import PlugboardJSON
import PlugboardKit

extension LimitTable {
    /// The state of one key, for the command `list`.
    struct Use: Sendable {
        let name: KeyName
        let left: [(rate: String, count: Int)]
        let running: Int
        let waiting: Int
        let pausedFor: Duration?
    }

    /// The keys in use, in any order.
    func used(at now: Int64) -> [Use] {
        keys.flatMap(\.values).filter { !$0.isSpent(at: now) }.map { key in
            Use(
                name: key.name, left: key.left(at: now), running: key.running, waiting: key.waiting,
                pausedFor: key.pausedUntil > now ? .nanoseconds(key.pausedUntil - now) : nil)
        }
    }
}

extension JSONValue {
    /// The reply of the command `list`: the keys in the order of their rules.
    static func limitUses(_ uses: [LimitTable.Use], _ rules: [LimitRule]) -> JSONValue {
        let sorted = uses.map { (use: $0, text: $0.name.values.map(\.shown).joined(separator: "\n")) }
            .sorted { ($0.use.name.rule, $0.text) < ($1.use.name.rule, $1.text) }
        return ["keys": .array(sorted.map { limitUse($0.use, rules[$0.use.name.rule]) })]
    }

    private static func limitUse(_ use: LimitTable.Use, _ rule: LimitRule) -> JSONValue {
        var (values, left) = (JSONObject(), JSONObject())
        for (part, value) in zip(rule.parts, use.name.values) { values[part.name] = .string(value.shown) }
        for (rate, count) in use.left { left[rate] = .number(JSONNumber(count)) }
        var shown: JSONObject = [
            "rule": .string(rule.text), "values": .object(values), "left": .object(left),
            "running": .number(JSONNumber(use.running)), "waiting": .number(JSONNumber(use.waiting)),
        ]
        if let atOnce = rule.atOnce { shown["atOnce"] = .number(JSONNumber(atOnce)) }
        if let time = use.pausedFor { shown["pausedFor"] = .string(DurationText(time).description) }
        return .object(shown)
    }
}
