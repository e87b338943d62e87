import Logging
import PlugboardKit
import PlugboardMessages

extension PluginEntry {
    /// Logs each exchange at its end to a logger of swift-log, with what is known of it as metadata.
    ///
    ///     let kernel = try Kernel(plugins: [.swiftLog(logger), .redirect, .retry], log: KernelLog(logger))
    ///
    /// The metadata are `exchange` (its number), `method`, `url` (without the user and the values of its query),
    /// `attempts`, `outcome`, `milliseconds`, and where they are known `status`, `error` (its code) and `plugin` (that
    /// of the error). Secrets are in none. It is outermost, as `logging` is, whose place it takes.
    ///
    /// - Parameter level: Of exchanges that do not fail; others are warnings, or of this level if it is higher.
    public static func swiftLog(_ logger: Logger, level: Logger.Level = .info) -> PluginEntry {
        .hooks(
            "swift-log", priority: 10,
            onRequest: { exchange in
                exchange.turnState = ExchangeRecord()
                return .next
            },
            onResponse: { exchange in
                (exchange.turnState as? ExchangeRecord)?.status = exchange.response?.status
                return .next
            },
            onClose: { exchange, outcome in
                let record = exchange.turnState as? ExchangeRecord
                let failure = exchange.failure
                // The caller or a plugin has intended these.
                let isIntended =
                    failure.map { [.cancelled, .ignored, .queued].contains($0.code) } ?? (outcome != .failed)
                var metadata: Logger.Metadata = [
                    "exchange": "\(exchange.id)", "method": "\(exchange.request.method)",
                    "url": "\(Printable.url(exchange.request.url, showingQuery: false))",
                    "attempts": "\(exchange.attempt)", "outcome": "\(outcome)",
                    "milliseconds": "\(record.map { Int($0.began.duration(to: .now) / .milliseconds(1)) } ?? 0)",
                ]
                if let status = record?.status { metadata["status"] = "\(status)" }
                if let failure {
                    metadata["error"] = "\(failure.code)"
                    if let plugin = failure.plugin { metadata["plugin"] = "\(plugin)" }
                }
                logger.log(
                    level: isIntended ? level : max(level, .warning),
                    failure.map { "\(Printable.text($0.reason))" } ?? "The exchange has ended.", metadata: metadata)
            })
    }
}

/// The facts about an exchange so far. Used by its hooks only, which never overlap.
private final class ExchangeRecord {
    let began = ContinuousClock.now
    var status: Int?
}
