import PlugboardKit

/// The result of one check.
package struct CheckResult: Sendable, Equatable {
    /// The way in which a check ended; `PluginCheck` describes each.
    package enum Status: String, Sendable, CaseIterable {
        /// The first four do not refuse the plugin.
        case passed, warned, skipped, untried, failed, crashed

        fileprivate static let width = allCases.map(\.rawValue.count).max() ?? 0
    }

    /// The name of the check.
    package let check: String
    /// The way in which it ended.
    package let status: Status
    /// The reason, or what was seen; may be empty for a check that passed.
    package let reason: String
    /// Which hooks the check called; empty for one that ran no exchange, and for one whose process crashed.
    package let coverage: Coverage

    /// Whether the plugin is refused because of this result, even without `--strict`.
    package var isFailure: Bool { status == .failed || status == .crashed }

    /// A line for people, with the check's name padded to `width` columns.
    package func line(width: Int) -> String {
        let covered = coverage.text
        let reason = [self.reason, covered.isEmpty ? "" : "[\(covered)]"].filter { !$0.isEmpty }.joined(separator: " ")
        let columns = [(status.rawValue, Status.width), (check, reason.isEmpty ? 0 : width)].map { word, width in
            word + String(repeating: " ", count: max(width - word.count, 0))
        }
        return (columns + (reason.isEmpty ? [] : [Printable.text(reason)])).joined(separator: "  ")
    }

    /// The result of the check with the name `check`.
    package init(_ check: String, _ status: Status, _ reason: String, _ coverage: Coverage = Coverage()) {
        self.check = check
        self.status = status
        self.reason = reason
        self.coverage = coverage
    }
}

/// The end of a check that did not pass.
struct CheckEnd: Error {
    let status: CheckResult.Status
    let reason: String

    static func failed(_ reason: String) -> CheckEnd { CheckEnd(status: .failed, reason: reason) }
    static func warned(_ reason: String) -> CheckEnd { CheckEnd(status: .warned, reason: reason) }
    /// The check does not concern the plugin.
    static func skipped(_ reason: String) -> CheckEnd { CheckEnd(status: .skipped, reason: reason) }
    /// The check concerns the plugin and could not be made.
    static func untried(_ reason: String) -> CheckEnd { CheckEnd(status: .untried, reason: reason) }

    /// One end for several faults; nil for an empty list.
    static func failed(_ faults: [String]) -> CheckEnd? {
        faults.isEmpty ? nil : .failed(faults.joined(separator: "; "))
    }
}
