import CPlugboard

/// A plugin's description of itself.
public struct Manifest: Sendable {
    /// Words of letters, digits, `-` and `_`, joined by single dots, in reverse domain order (`com.example.sign`).
    public let id: String
    /// `major.minor.patch`.
    public let version: String
    /// One line.
    public let documentation: String
    /// 0 to 999, outermost to innermost; the configuration can override it.
    public let priority: Int
    /// The hooks that the kernel calls. Others cost nothing.
    public let hooks: Hooks
    /// Ids of plugins that must stand further in than this one. They override priorities. An unknown id causes a
    /// warning, unless `?` follows it (`cache?`).
    public let before: [String]
    /// Ids of plugins that must stand further out than this one, with the same rules as `before`.
    public let after: [String]
    /// Ids of the events that `onEvent` is called for, with `*.*` for all events of plugins; if empty, it is called for
    /// all.
    public let events: [String]
    /// Ids of the services that `service` returns (`com.example.tokens/1`). Only one plugin may provide each.
    public let provides: [String]
    /// Ids of services of other plugins that this one needs; those plugins are created and started before it. With `?`
    /// at its end (`com.example.tokens/1?`), the service is optional: the plugin uses it if it is there.
    public let needs: [String]
    /// The rows of the attributes that requests can carry for this plugin.
    public let attributes: [OptionDefinition]
    /// The commands that `Plugin.command` is called for.
    public let commands: [CommandDefinition]

    /// Creates a description. What is left out is empty.
    public init(
        id: String, version: String, documentation: String = "", priority: Int, hooks: Hooks, before: [String] = [],
        after: [String] = [], events: [String] = [], provides: [String] = [], needs: [String] = [],
        attributes: [OptionDefinition] = [],
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
        self.provides = provides
        self.needs = needs
        self.attributes = attributes
        self.commands = commands
    }
}

/// A set of hooks; see `Plugin`.
public struct Hooks: OptionSet, Sendable {
    /// The bits, as in `plugboard.h`.
    public let rawValue: UInt32
    /// A set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `Plugin.onRequest`.
    public static let request = Hooks(rawValue: PLUG_ON_REQUEST)
    /// `Plugin.onResponse`.
    public static let response = Hooks(rawValue: PLUG_ON_RESPONSE)
    /// `Plugin.onFailure`.
    public static let failure = Hooks(rawValue: PLUG_ON_FAILURE)
    /// `Plugin.onClose`.
    public static let close = Hooks(rawValue: PLUG_ON_CLOSE)
    /// `Plugin.onEvent`.
    public static let event = Hooks(rawValue: PLUG_ON_EVENT)
}

/// A command of a plugin: `plugboard ID NAME`, `kernel.command("ID", "NAME")`.
public struct CommandDefinition: Sendable {
    /// What follows the plugin's id on the command line.
    public let name: String
    /// A JSON object: the names of the arguments, and what each means. Empty for none.
    public let arguments: String
    /// One line.
    public let documentation: String
    /// Whether the command does not need the plugin's background work. A program that is started only for this command,
    /// such as `plugboard ID NAME`, makes the plugin quiet (`PluginHost.isQuiet`).
    public let isQuiet: Bool

    /// A row of the table of commands.
    public init(_ name: String, _ documentation: String, arguments: String = "", isQuiet: Bool = false) {
        self.name = name
        self.documentation = documentation
        self.arguments = arguments
        self.isQuiet = isQuiet
    }
}
