import PlugboardJSON

/// How often a check called each hook of the plugin, and which verdicts the hooks returned.
package struct Coverage: Sendable, Equatable {
    /// The count of each verdict of each hook, which is named as in the C table. The verdict of a hook that returns
    /// nothing is "". A hook that the plugin lists and that was never called has an empty dictionary.
    package private(set) var hooks: [String: [String: Int]] = [:]

    /// The coverage of no calls.
    package init() {}

    mutating func list(_ hook: Hook) { hooks[hook.description] = hooks[hook.description] ?? [:] }

    mutating func add(_ hook: Hook, _ verdict: String) {
        hooks[hook.description, default: [:]][verdict, default: 0] += 1
    }

    /// The sum of two coverages.
    static func + (one: Coverage, other: Coverage) -> Coverage {
        var sum = one
        for (hook, verdicts) in other.hooks { sum.hooks[hook, default: [:]].merge(verdicts, uniquingKeysWith: +) }
        return sum
    }

    /// `on_request 12 next, 3 wait; on_close 15; on_failure never`; empty where no exchange ran.
    package var text: String {
        names.map { name in
            let verdicts = (hooks[name] ?? [:]).sorted { $0.key < $1.key }
            let counts = verdicts.map { $0.key.isEmpty ? "\($0.value)" : "\($0.value) \($0.key)" }
            return "\(name) \(counts.isEmpty ? "never" : counts.joined(separator: ", "))"
        }.joined(separator: "; ")
    }

    /// An object with a member for each hook: its verdicts with their counts, and `calls`, their sum.
    package var json: JSONValue {
        .object(
            JSONObject(
                names.map { name in
                    let verdicts = (hooks[name] ?? [:]).sorted { $0.key < $1.key }
                    let calls = ("calls", JSONValue.number(JSONNumber(verdicts.reduce(0) { $0 + $1.value })))
                    let named = verdicts.filter { !$0.key.isEmpty }
                    return (
                        name, .object(JSONObject([calls] + named.map { ($0.key, .number(JSONNumber($0.value))) }))
                    )
                }))
    }

    /// The coverage that `json` describes; nil for any other value.
    init?(json: JSONValue?) {
        guard let object = json?.objectValue else { return nil }
        for (name, value) in object {
            guard let counts = value.objectValue else { return nil }
            var verdicts: [String: Int] = [:]
            for (verdict, count) in counts where verdict != "calls" {
                verdicts[verdict] = count.numberValue?.integer(Int.self)
            }
            let calls = value["calls"]?.numberValue?.integer(Int.self) ?? 0
            if verdicts.isEmpty && calls > 0 { verdicts[""] = calls }
            hooks[name] = verdicts
        }
    }

    /// The hooks in the order in which an exchange calls them.
    private var names: [String] { Hook.allCases.map(\.description).filter { hooks[$0] != nil } }
}
