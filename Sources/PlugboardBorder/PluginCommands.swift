/// Calls commands of plugins. The kernel conforms to it.
///
/// Modules of options extend it with typed names (`kernel.cookies.all()`), which then need to link neither the kernel
/// nor the plugin, and work for a loaded plugin too.
public protocol PluginCommands: Sendable {
    /// Calls a command of a plugin. The arguments are a JSON object as text. From any task.
    ///
    /// Throws `command.unknown` if the plugin is not enabled or has no such command, and the plugin's own errors.
    func command(
        _ plugin: String, _ name: String, _ arguments: String
    ) async throws(PlugboardError) -> CommandReply
}

/// The result of a command.
public enum CommandReply: Sendable {
    /// A JSON text.
    case json(String)
    /// A body.
    case body(Body)
}
