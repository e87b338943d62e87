import PlugboardJSON
import PlugboardKit

/// The results of all checks of one plugin.
package struct CheckReport: Sendable {
    /// The path of the shared object.
    package let path: String
    /// The seed of the random exchanges.
    package let seed: UInt64
    /// The results in the order of the checks.
    package let results: [CheckResult]

    /// Whether the plugin is refused; with `strict`, also because of checks that warned or could not be made.
    package func isRefused(strict: Bool) -> Bool {
        results.contains { $0.isFailure || strict && [.warned, .untried].contains($0.status) }
    }

    /// The sum of the coverages of all checks.
    package var coverage: Coverage { results.reduce(Coverage()) { $0 + $1.coverage } }

    /// One line: how many checks ended with each status, and the seed.
    package var summary: String {
        let counts = CheckResult.Status.allCases.compactMap { status -> String? in
            let count = results.count { $0.status == status }
            return count == 0 ? nil : "\(count) \(status)"
        }
        return "\(Printable.text(path)): \(counts.joined(separator: ", ")) (seed \(seed))"
    }

    /// The lines below the summary: which hooks were called, and which checks could not be made; may be empty.
    package func remarks(strict: Bool) -> String {
        let covered = coverage.text
        let untried = results.filter { $0.status == .untried }.map(\.check)
        return (covered.isEmpty ? "" : "covered: \(covered)\n")
            + (untried.isEmpty
                ? ""
                : "not everything was checked: \(untried.joined(separator: ", ")) could not be tried"
                    + (strict ? ", so --strict refuses the plugin\n" : "\n"))
    }

    /// The report for programs, as `plugboard plugins check --help` describes it.
    package func json(strict: Bool) -> JSONValue {
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
