import PlugboardJSON

extension PluginCommands {
    /// Calls a command of a plugin, and reads its reply as JSON. From any task.
    ///
    /// Throws `command.reply` for a reply that is not JSON, and what `command` throws.
    public func json(
        _ plugin: String, _ name: String, _ arguments: JSONObject = [:]
    ) async throws(PlugboardError) -> JSONValue {
        guard case .json(let text) = try await command(plugin, name, JSONWriter.write(.object(arguments))),
            let value = try? JSONParser.parse(text)
        else { throw PlugboardError(.commandReply, "The plugin \(plugin) replied to \(name) without JSON.") }
        return value
    }
}
