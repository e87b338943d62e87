import PlugboardKit

/// What came of one check.
public struct CheckResult: Sendable, Equatable {
    public enum Status: String, Sendable, CaseIterable {
        case passed, warned, skipped, failed, crashed

        fileprivate static let width = allCases.map(\.rawValue.count).max() ?? 0
    }

    public let check: String
    public let status: Status
    /// Why, or what was seen; may be empty of what passed.
    public let reason: String

    /// Whether it alone is reason to refuse the plugin.
    public var isFailure: Bool { status == .failed || status == .crashed }

    /// A line for people, with the check's name in so many columns.
    public func line(width: Int) -> String {
        let columns = [(status.rawValue, Status.width), (check, reason.isEmpty ? 0 : width)].map { word, width in
            word + String(repeating: " ", count: max(width - word.count, 0))
        }
        return (columns + (reason.isEmpty ? [] : [printable(reason)])).joined(separator: "  ")
    }

    public init(_ check: String, _ status: Status, _ reason: String) {
        self.check = check
        self.status = status
        self.reason = reason
    }
}

/// How a check ends that does not pass.
struct CheckEnd: Error {
    let status: CheckResult.Status
    let reason: String

    static func failed(_ reason: String) -> CheckEnd { CheckEnd(status: .failed, reason: reason) }
    static func warned(_ reason: String) -> CheckEnd { CheckEnd(status: .warned, reason: reason) }
    static func skipped(_ reason: String) -> CheckEnd { CheckEnd(status: .skipped, reason: reason) }

    /// Several faults as one end; nil if there are none.
    static func failed(_ faults: [String]) -> CheckEnd? {
        faults.isEmpty ? nil : .failed(faults.joined(separator: "; "))
    }
}
