/// Returns a new token (RFC 6750) that the program has fetched in its own way. See
/// `PluginEntry.authentication(tokenProviders:)`.
public typealias TokenProvider = @Sendable () async throws -> AccessToken

/// A token of a program's own refresh, and how long it is valid.
public struct AccessToken: Sendable {
    /// What is sent as `Authorization: Bearer VALUE`.
    public let value: String
    /// How long it is valid; nil if unknown. Then a new one is fetched when a server rejects it.
    public let lifetime: Duration?

    /// A token.
    public init(_ value: String, lifetime: Duration? = nil) {
        self.value = value
        self.lifetime = lifetime
    }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    /// The name of the type, without the token.
    public var description: String { "AccessToken" }
    /// A mirror without children, so that `dump` prints the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
