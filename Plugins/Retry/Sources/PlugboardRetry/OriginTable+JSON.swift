import PlugboardJSON
import PlugboardKit

extension OriginTable {
    /// The reply of the command `stats`.
    func described(at now: Duration) -> JSONValue {
        var origins = JSONObject()
        for (origin, entry) in entries.sorted(by: { $0.key.description < $1.key.description }) {
            var shown: JSONObject = [:]
            if let budget = entry.budget, let limits = limits.budget {
                shown["tokens"] = JSONNumber(budget.tokens(at: now, limits)).map { .number($0) }
            }
            switch entry.circuit.state {
            case .closed(let failures):
                shown["circuit"] = "closed"
                shown["failures"] = .number(JSONNumber(failures))
            case .open(let until):
                shown["circuit"] = "open"
                shown["probedIn"] = .string(DurationText(max(until - now, .zero)).description)
            case .halfOpen(let probing, let succeeded):
                shown["circuit"] = "halfOpen"
                shown["probing"] = .number(JSONNumber(probing.count))
                shown["succeeded"] = .number(JSONNumber(succeeded))
            }
            origins["\(origin)"] = .object(shown)
        }
        return ["origins": .object(origins)]
    }
}
