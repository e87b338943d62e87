import CPlugboard

/// What a plugin says of itself.
public struct Manifest: Sendable {
    /// Letters, digits, `.`, `-`, `_`; of your own plugins in reverse domain order.
    public let id: String
    /// `major.minor.patch`.
    public let version: String
    /// One line.
    public let documentation: String
    /// 0 to 999, outermost to innermost; the configuration can override it.
    public let priority: Int
    /// The hooks that are called; others cost nothing.
    public let hooks: Hooks
    /// Ids that must stand further in, and further out; they beat priorities. An unknown id is a warning, unless `?`
    /// follows it: `cache?` is for the plugin `cache` if it is there.
    public let before: [String]
    public let after: [String]
    /// Events that `onEvent` is told of; none: all.
    public let events: [String]
    public let attributes: [OptionDefinition]
    public let commands: [CommandDefinition]

    public init(
        id: String, version: String, documentation: String = "", priority: Int, hooks: Hooks, before: [String] = [],
        after: [String] = [], events: [String] = [], attributes: [OptionDefinition] = [],
        commands: [CommandDefinition] = []
    ) {
        self.id = id
        self.version = version
        self.documentation = documentation
        self.priority = priority
        self.hooks = hooks
        self.before = before
        self.after = after
        self.events = events
        self.attributes = attributes
        self.commands = commands
    }
}

/// A set of hooks.
public struct Hooks: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let request = Hooks(rawValue: PLUG_ON_REQUEST)
    public static let response = Hooks(rawValue: PLUG_ON_RESPONSE)
    public static let failure = Hooks(rawValue: PLUG_ON_FAILURE)
    public static let close = Hooks(rawValue: PLUG_ON_CLOSE)
    public static let event = Hooks(rawValue: PLUG_ON_EVENT)
}

/// Something one can ask a plugin to do.
public struct CommandDefinition: Sendable {
    public let name: String
    /// A JSON object that names the arguments and says what they are; empty for none.
    public let arguments: String
    /// One line.
    public let documentation: String

    public init(_ name: String, _ documentation: String, arguments: String = "") {
        self.name = name
        self.documentation = documentation
        self.arguments = arguments
    }
}
