import PlugboardJSON
import PlugboardKit

extension PluginCommands {
    /// The commands of the plugin `authentication`: `try await kernel.authentication.refresh()`.
    public var authentication: AuthenticationCommands { AuthenticationCommands(kernel: self) }
}

/// The commands of the plugin `authentication`. Called from any task.
public struct AuthenticationCommands: Sendable {
    fileprivate let kernel: any PluginCommands

    /// The state of the secrets kept in memory, without the secrets.
    public func status() async throws(PlugboardError) -> [CredentialStatus] {
        guard let credentials = try await kernel.json("authentication", "status")["credentials"]?.arrayValue else {
            throw PlugboardError(.commandReply, "The plugin authentication replied to status without its credentials.")
        }
        return credentials.compactMap { CredentialStatus($0) }
    }

    /// Fetches the secrets kept in memory again, those of one origin or all, and returns when all fetches have ended.
    ///
    /// Throws `authentication.refresh` if a fetch fails; the other secrets are fetched nevertheless.
    public func refresh(origin: Origin? = nil) async throws(PlugboardError) {
        let arguments = origin.map { ["origin": $0.description] } ?? [:]
        _ = try await kernel.command("authentication", "refresh", [String: String].optionForm.text(of: arguments))
    }

    /// Drops the secrets kept in memory; files stay.
    public func forget() async throws(PlugboardError) {
        _ = try await kernel.command("authentication", "forget", "{}")
    }
}
