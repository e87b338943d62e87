import PlugboardKit

/// Replies to each command of each plugin in the same way; nil replies with the arguments.
package struct ReplyingCommands: PluginCommands {
    private let reply: CommandReply?

    package init(_ reply: CommandReply? = nil) { self.reply = reply }

    package func command(
        _ plugin: String, _ name: String, _ arguments: String
    ) async throws(PlugboardError) -> CommandReply { reply ?? .json(arguments) }
}
