import PlugboardJSON
import PlugboardKit

extension PluginCommands {
    /// The commands of the plugin `authentication`: `try await kernel.authentication.refresh()`.
    public var authentication: AuthenticationCommands { AuthenticationCommands(kernel: self) }
}

/// The commands of the plugin `authentication`. Called from any task.
public struct AuthenticationCommands: Sendable {
    fileprivate let kernel: any PluginCommands

    /// What is known of the secrets kept in memory, without them; ordered by their origins.
    public func status() async throws(PlugboardError) -> [CredentialStatus] {
        guard case .json(let text) = try await kernel.command("authentication", "status", "{}"),
            let list = (try? JSONParser.parse(text))?["credentials"]?.arrayValue
        else { throw PlugboardError(.commandReply, "The plugin authentication replied to status without a list.") }
        return list.compactMap { CredentialStatus($0) }
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

/// What the plugin `authentication` knows of a credential whose secret it keeps in memory.
public struct CredentialStatus: Sendable, Equatable {
    /// The state of a secret.
    public enum Condition: String, Sendable {
        /// None was fetched yet.
        case none
        /// It is valid, as far as is known.
        case good
        /// Its lifetime is over.
        case over
        /// A server has rejected it.
        case rejected
        /// It could not be fetched.
        case failed
    }

    /// The origins that requests with it went to; the first ones, if there are many.
    public var origins: [Origin]
    /// How it authenticates: `basic` or `bearer`.
    public var scheme: String
    /// Where the secret comes from: `file`, `environment`, `command` or `endpoint`.
    public var source: String
    /// The state of the secret.
    public var condition: Condition
    /// Whether it is being fetched.
    public var isFetching: Bool
    /// How long it is still valid; nil if that is not known.
    public var expiresIn: Duration?

    /// Nil for what is no member of the command's reply.
    init?(_ value: JSONValue) {
        guard let condition = value["condition"]?.stringValue.flatMap({ Condition(rawValue: $0) }),
            let scheme = value["scheme"]?.stringValue, let source = value["source"]?.stringValue
        else { return nil }
        origins = value["origins"]?.arrayValue?.compactMap { $0.stringValue.flatMap { Origin($0) } } ?? []
        self.scheme = scheme
        self.source = source
        self.condition = condition
        isFetching = value["isFetching"] == true
        expiresIn = value["expiresIn"]?.stringValue.flatMap { DurationText($0)?.duration }
    }
}
