import PlugboardKit

extension PluginCommands {
    /// What one can ask the plugin `authentication` to do.
    public var authentication: AuthenticationCommands { AuthenticationCommands(kernel: self) }
}

/// The commands of the plugin `authentication`: `try await kernel.authentication.refresh()`.
public struct AuthenticationCommands: Sendable {
    fileprivate let kernel: any PluginCommands

    /// What is kept in memory, as JSON without secrets; see the plugin's README.
    public func status() async throws(PlugboardError) -> String {
        guard case .json(let text) = try await kernel.command("authentication", "status", "{}") else { return "{}" }
        return text
    }

    /// Fetches anew what is kept in memory, of one origin or of all, and returns when that is done.
    ///
    /// Throws `authentication.refresh` where one could not be had; the others are fetched all the same.
    public func refresh(origin: Origin? = nil) async throws(PlugboardError) {
        let arguments = origin.map { ["origin": $0.description] } ?? [:]
        _ = try await kernel.command("authentication", "refresh", arguments.optionText)
    }

    /// Drops the secrets that are kept in memory; files stay.
    public func forget() async throws(PlugboardError) {
        _ = try await kernel.command("authentication", "forget", "{}")
    }
}
