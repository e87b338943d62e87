import PlugboardKit

/// The settings of the plugin `logging`, for configurations and for programs in code.
///
///     .logging { $0.detail = .heads }
public struct LoggingSettings: PluginSettings {
    /// What is logged: one line for each exchange, or its heads too.
    @Setting("What is logged: one line for each exchange, or its heads too.")
    public var detail = Detail.line
    /// The level of the lines; failures are at least warnings.
    @Setting("The level of the lines; failures are at least warnings.")
    public var level = Level.info
    /// Whether the values of queries are shown.
    @Setting("Whether the values of queries are shown.")
    public var queries = Queries.redact

    /// What is logged of an exchange.
    public enum Detail: String, WordOption {
        /// One line.
        case line
        /// Its heads, too.
        case heads
    }
    /// Whether the values of queries are shown.
    public enum Queries: String, WordOption {
        /// They are replaced.
        case redact
        /// They are shown as they are.
        case show
    }
    /// A level of the log.
    public enum Level: String, WordOption {
        /// What helps to find a fault.
        case debug
        /// What usually happens.
        case info
        /// What may need attention.
        case warning
        /// What has failed.
        case error
    }

    /// All settings at their defaults.
    public init() {}
}
