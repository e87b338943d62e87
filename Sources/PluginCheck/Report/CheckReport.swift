import JSON
import PlugboardKit

/// All results of one plugin, for people and for programs.
public struct CheckReport: Sendable {
    public let path: String
    public let seed: UInt64
    public let results: [CheckResult]

    /// Whether the plugin is to be refused; with `strict`, also for warnings and for checks that could not be made.
    public func isRefused(strict: Bool) -> Bool {
        results.contains { $0.isFailure || strict && [.warned, .untried].contains($0.status) }
    }

    /// What all checks covered together.
    public var coverage: Coverage { results.reduce(Coverage()) { $0 + $1.coverage } }

    /// One line: how many ended in which way, and the seed.
    public var summary: String {
        let counts = CheckResult.Status.allCases.compactMap { status -> String? in
            let count = results.count { $0.status == status }
            return count == 0 ? nil : "\(count) \(status)"
        }
        return "\(printable(path)): \(counts.joined(separator: ", ")) (seed \(seed))"
    }

    /// Lines below the summary: which hooks were called, and that checks are missing; empty if there is nothing to say.
    public func remarks(strict: Bool) -> String {
        let covered = coverage.text
        let untried = results.filter { $0.status == .untried }.map(\.check)
        return (covered.isEmpty ? "" : "covered: \(covered)\n")
            + (untried.isEmpty
                ? ""
                : "not everything was checked: \(untried.joined(separator: ", ")) could not be tried"
                    + (strict ? ", so --strict refuses the plugin\n" : "\n"))
    }

    public func json(strict: Bool) -> JSONValue {
        [
            "path": .string(path), "seed": .string("\(seed)"), "refused": .bool(isRefused(strict: strict)),
            "checks": .array(
                results.map { result in
                    var object: JSONObject = [
                        "check": .string(result.check), "status": .string(result.status.rawValue),
                        "reason": .string(result.reason),
                    ]
                    if !result.coverage.hooks.isEmpty { object["covered"] = result.coverage.json }
                    return .object(object)
                }), "covered": coverage.json,
        ]
    }
}
