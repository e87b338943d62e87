import PlugboardKit

/// What configurations, and programs in code, say to the plugin `logging`.
///
///     .logging { $0.detail = .heads }
public struct LoggingSettings: PluginSettings {
    @Setting("What is printed: a line for each exchange, or its heads too.")
    public var detail = Detail.line
    @Setting("The level of what is printed; failures are at least warnings.")
    public var level = Level.info
    @Setting("Whether the values of queries are printed.")
    public var queries = Queries.redact

    /// What is printed of an exchange.
    public enum Detail: String, WordOption { case line, heads }
    /// What is printed of the values of queries.
    public enum Queries: String, WordOption { case redact, show }
    /// A level of the log.
    public enum Level: String, WordOption { case debug, info, warning, error }

    /// All settings at their defaults.
    public init() {}
}
