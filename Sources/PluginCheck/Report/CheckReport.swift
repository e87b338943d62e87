import JSON
import PlugboardKit

/// All results of one plugin, for people and for programs.
public struct CheckReport: Sendable {
    public let path: String
    public let seed: UInt64
    public let results: [CheckResult]

    /// Whether the plugin is to be refused; with `strict`, warnings count too.
    public func isRefused(strict: Bool) -> Bool {
        results.contains { $0.isFailure || strict && $0.status == .warned }
    }

    /// One line: how many ended in which way, and the seed.
    public var summary: String {
        let counts = CheckResult.Status.allCases.compactMap { status -> String? in
            let count = results.count { $0.status == status }
            return count == 0 ? nil : "\(count) \(status)"
        }
        return "\(printable(path)): \(counts.joined(separator: ", ")) (seed \(seed))"
    }

    public func json(strict: Bool) -> JSONValue {
        [
            "path": .string(path), "seed": .string("\(seed)"), "refused": .bool(isRefused(strict: strict)),
            "checks": .array(
                results.map { result in
                    [
                        "check": .string(result.check), "status": .string(result.status.rawValue),
                        "reason": .string(result.reason),
                    ]
                }),
        ]
    }
}
