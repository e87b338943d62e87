import PlugboardKit

/// The settings of the plugin `logging`, for configurations and for programs in code.
///
///     .logging {
///         $0.format = .json
///         $0.path = "requests.log"
///     }
public struct LoggingSettings: PluginSettings {
    /// How exchanges are logged: one line each, full (heads, and bodies if wanted), a JSON object, or a curl command
    /// line.
    @Setting(
        "How exchanges are logged: one line each, full (heads, and bodies if wanted), a JSON object, or a curl command line."
    )
    public var format = Format.line
    /// The level of the lines; failures are at least warnings.
    @Setting("The level of the lines; failures are at least warnings.")
    public var level = Level.info
    /// Whether the values of queries are shown.
    @Setting("Whether the values of queries are shown.")
    public var queries = Queries.redact

    /// The beginning of bodies that full, json and curl show, in bytes; 0B for none, and at most 256KiB.
    @Setting(
        "The beginning of bodies that full, json and curl show, in bytes; 0B for none, and at most 256KiB.",
        in: .bytes(0) ... .kibibytes(256))
    public var bodies = ByteCount.bytes(0)
    /// Further names of members of JSON, and of parameters of forms, whose values are secret in bodies.
    @Setting("Further names of members of JSON, and of parameters of forms, whose values are secret in bodies.")
    public var secretMembers: [String] = []

    /// Logs these methods only; all if it is empty.
    @Setting("Logs these methods only; all if it is empty.")
    public var methods: [String] = []
    /// Logs these hosts only, in which * stands for any text; all if it is empty.
    @Setting("Logs these hosts only, in which * stands for any text; all if it is empty.")
    public var hosts: [String] = []
    /// Logs these statuses only, such as 404, 5xx or 400-499; all if it is empty.
    @Setting("Logs these statuses only, such as 404, 5xx or 400-499; all if it is empty.")
    public var statuses: [String] = []
    /// Logs only exchanges that took at least this long.
    @Setting("Logs only exchanges that took at least this long.", in: .zero ... .seconds(86_400))
    public var slowerThan = Duration.zero
    /// Logs failures only.
    @Setting("Logs failures only.")
    public var failures = false

    /// A private file for the lines, instead of the log; a relative path starts at the configuration's folder.
    @Setting("A private file for the lines, instead of the log; a relative path starts at the configuration's folder.")
    public var path: String? = nil
    /// The size at which the file is renamed to PATH.1, PATH.1 to PATH.2 and so on; 0B for no limit.
    @Setting(
        "The size at which the file is renamed to PATH.1, PATH.1 to PATH.2 and so on; 0B for no limit.")
    public var rotateSize = ByteCount.mebibytes(10)
    /// The age at which the file is renamed in the same way; 0s for no limit.
    @Setting(
        "The age at which the file is renamed in the same way; 0s for no limit.", in: .zero ... .seconds(315_360_000))
    public var rotateAge = Duration.zero
    /// How many renamed files are kept.
    @Setting("How many renamed files are kept.", in: 0...1000)
    public var rotateCount = 5

    /// How an exchange is logged.
    public enum Format: String, WordOption {
        /// One line.
        case line
        /// The heads, and the beginning of bodies if they are wanted, and the line.
        case full
        /// A JSON object in one line.
        case json
        /// A command line of curl that sends the request again.
        case curl
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
