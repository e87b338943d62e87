import PlugboardKit
import PlugboardLoggingOptions
import PlugboardObserving

/// Which exchanges are logged.
struct LogFilter: Sendable {
    private let methods: Set<String>
    private let hosts: [Wildcard]
    private let statuses: [ClosedRange<Int>]
    private let slowerThan: Duration
    private let failures: Bool

    /// Throws `configuration` for a text that is not a status or a range of them.
    init(_ settings: LoggingSettings) throws(PlugboardError) {
        methods = Set(settings.methods.map { $0.uppercased() })
        hosts = settings.hosts.map { Wildcard($0.lowercased()) }
        statuses = try settings.statuses.map { text throws(PlugboardError) in
            guard let range = LogFilter.statuses(text) else {
                throw PlugboardError(
                    .configuration,
                    "statuses has \(Printable.text(text)), which is not a status such as 404, 5xx or 400-499.")
            }
            return range
        }
        (slowerThan, failures) = (settings.slowerThan, settings.failures)
    }

    private static func statuses(_ text: String) -> ClosedRange<Int>? {
        if text.utf8.count == 3, text.hasSuffix("xx"), let hundred = Int(text.prefix(1)), hundred > 0 {
            return hundred * 100...hundred * 100 + 99
        }
        let bounds = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard bounds.count <= 2, let first = bounds.first ?? nil, let last = bounds.last ?? nil, first <= last,
            first >= 100, last <= 999
        else { return nil }
        return first...last
    }

    /// Whether the end of an exchange decides.
    var needsEnd: Bool { !statuses.isEmpty || slowerThan > .zero || failures }

    /// Whether a request may be logged.
    func admits(_ method: String, _ url: String) -> Bool {
        if !methods.isEmpty, !methods.contains(method) { return false }
        if hosts.isEmpty { return true }
        guard let host = Origin(url: url)?.host else { return false }
        return hosts.contains { $0.matches(Array(host.utf8)) }
    }

    /// Whether an exchange is logged that has ended.
    func admits(_ summary: ExchangeSummary) -> Bool {
        if failures, !summary.isFailure { return false }
        if summary.took < slowerThan { return false }
        if statuses.isEmpty { return true }
        return summary.status.map { status in statuses.contains { $0.contains(status) } } ?? false
    }
}
