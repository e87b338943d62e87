import PlugboardKit

/// The settings of the plugin `recorder`, for configurations and for programs in code.
///
///     .recorder { $0.bodies = .capped }
public struct RecorderSettings: PluginSettings {
    /// Where exchanges are recorded: in a file, or in memory only.
    @Setting("Where exchanges are recorded: in a file, or in memory only.")
    public var persistence = Persistence.memory
    /// The file; a relative path starts at the configuration's folder. Without it, recorder.sqlite in the data
    /// directory.
    @Setting(
        "The file; a relative path starts at the configuration's folder. Without it, recorder.sqlite in the data directory."
    )
    public var path: String? = nil
    /// The most exchanges that are kept; older ones make room.
    @Setting("The most exchanges that are kept; older ones make room.", in: 1...1_000_000)
    public var limit = 1000
    /// The most bytes that recorded exchanges have together; older ones make room.
    @Setting("The most bytes that recorded exchanges have together; older ones make room.")
    public var size = ByteCount.mebibytes(64)
    /// How long exchanges are kept.
    @Setting("How long exchanges are kept.", in: .seconds(1) ... .seconds(315_360_000))
    public var age = Duration.seconds(604_800)
    /// What is recorded of bodies, and whether heads are.
    @Setting("What is recorded: off (nothing), heads, capped (and bodies up to bodyLimit), whole (and whole bodies).")
    public var bodies = RecordedBodies.capped
    /// The most bytes of a body that capped records.
    @Setting("The most bytes of a body that capped records.")
    public var bodyLimit = ByteCount.kibibytes(64)
    /// The media types whose bodies are recorded, such as application/json, text/* and */*+json; all if it is empty.
    @Setting(
        "The media types whose bodies are recorded, such as application/json, text/* and */*+json; all if it is empty.")
    public var bodyTypes: [String] = []
    /// Further names of parameters whose values are secret, in queries and in forms; * stands for any text.
    @Setting("Further names of parameters whose values are secret, in queries and in forms; * stands for any text.")
    public var secretParameters: [String] = []
    /// Further members of JSON bodies whose values are secret: names, or JSON pointers such as /user/email.
    @Setting("Further members of JSON bodies whose values are secret: names, or JSON pointers such as /user/email.")
    public var secretMembers: [String] = []

    /// Where exchanges are recorded.
    public enum Persistence: String, WordOption {
        /// Stored in a file.
        case file
        /// Kept in memory only.
        case memory
    }

    /// All settings at their defaults.
    public init() {}
}

/// How much is recorded of an exchange.
public enum RecordedBodies: String, WordOption {
    /// Nothing.
    case off
    /// The heads.
    case heads
    /// The heads, and the beginning of bodies.
    case capped
    /// The heads, and whole bodies, each up to a quarter of `size`.
    case whole
}
