import PlugboardKit

extension PluginCommands {
    /// The commands of the plugin `retry`: `try await kernel.retry.forget()`.
    public var retry: RetryCommands<Self> { RetryCommands(commands: self) }
}

/// The commands of the plugin `retry`. Called from any task.
public struct RetryCommands<Commands: PluginCommands>: Sendable {
    fileprivate let commands: Commands

    /// Removes budgets and circuits: each origin has a full budget and a closed circuit again.
    public func forget() async throws(PlugboardError) {
        _ = try await commands.command("retry", "forget", "{}")
    }

    /// The origins that have failed recently, as the JSON text that the plugin's README describes.
    public func stats() async throws(PlugboardError) -> String {
        guard case .json(let text) = try await commands.command("retry", "stats", "{}") else {
            throw PlugboardError(.commandReply, "The plugin retry replied to stats without JSON.")
        }
        return text
    }
}
