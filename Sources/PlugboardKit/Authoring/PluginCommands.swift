/// Who can ask plugins to do the things they list: the kernel, to the modules of options.
///
/// So a plugin's own names for its commands (`kernel.cookies.all()`) need neither the kernel nor the plugin, and work for a loaded one too.
public protocol PluginCommands: Sendable {
    /// Asks a plugin to do one of the things it lists. Arguments are a JSON object as text. From any task.
    ///
    /// Throws `command.unknown` where the plugin is not switched on or knows no such command, and what the plugin says.
    func command(
        _ plugin: String, _ name: String, _ arguments: String
    ) async throws(PlugboardError) -> CommandReply
}

/// What a command answered.
public enum CommandReply: Sendable {
    /// A JSON text.
    case json(String)
    case body(Body)
}
