import JSON
import PlugboardKit

/// A stored answer as commands tell of it.
struct CachedEntry {
    private let entry: CacheEntry
    private let freshness: Freshness

    init(_ entry: CacheEntry, policy: CachePolicy, now: Duration) {
        self.entry = entry
        freshness = policy.freshness(of: entry.answer, now: now)
    }

    func json(withFields: Bool) -> JSONValue {
        let answer = entry.answer
        var object: JSONObject = [
            "url": .string(answer.url), "status": number(answer.status), "bytes": number(entry.length),
            "age": number(freshness.ageInSeconds), "ttl": number(freshness.remainingSeconds),
        ]
        if !answer.selecting.isEmpty { object["vary"] = .array(answer.selecting.map { .string($0.name) }) }
        if !answer.version.isEmpty { object["version"] = .string(answer.version) }
        if answer.isInvalidated { object["invalidated"] = true }
        if answer.range != nil { object["partial"] = true }
        if withFields {
            object["fields"] = .array(
                answer.fields.map { [.string($0.name), .string($0.isSecret ? "…" : $0.value)] })
        }
        return .object(object)
    }

    private func number(_ count: some BinaryInteger) -> JSONValue { .number(JSONNumber(count)) }
}
