import PlugboardJSON
import PlugboardKit

/// The state of a secret that the plugin `authentication` keeps in memory.
public struct CredentialStatus: Sendable, Equatable {
    /// Whether the secret can be used.
    public enum Condition: String, Sendable {
        /// It was not fetched yet.
        case none
        /// It is valid, as far as is known.
        case good
        /// Its lifetime is over.
        case over
        /// The server has rejected it.
        case rejected
        /// The last fetch has failed.
        case failed
    }

    /// The origins that it was sent to, at most 64.
    public var origins: [Origin]
    /// How it is sent: `basic` or `bearer`.
    public var scheme: AuthenticationScheme
    /// Where it comes from: `given`, `file`, `environment`, `command`, `provider` or `endpoint`.
    public var source: String
    /// Whether it can be used.
    public var condition: Condition
    /// Whether it is being fetched now.
    public var isFetching: Bool
    /// The rest of its lifetime; nil if that is unknown.
    public var expiresIn: Duration?

    init?(_ value: JSONValue) {
        guard let scheme = value["scheme"]?.stringValue.flatMap({ AuthenticationScheme(rawValue: $0) }),
            let source = value["source"]?.stringValue,
            let condition = value["condition"]?.stringValue.flatMap({ Condition(rawValue: $0) })
        else { return nil }
        origins = value["origins"]?.arrayValue?.compactMap { $0.stringValue.flatMap { Origin($0) } } ?? []
        self.scheme = scheme
        self.source = source
        self.condition = condition
        isFetching = value["isFetching"]?.boolValue ?? false
        expiresIn = value["expiresIn"]?.stringValue.flatMap { DurationText($0)?.duration }
    }
}
