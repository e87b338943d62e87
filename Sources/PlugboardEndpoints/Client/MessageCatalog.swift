import PlugboardCore

/// Texts for people about errors, by language and code.
public struct MessageCatalog: Sendable {
    /// No texts: the message of an error is its reason.
    public init() {}

    /// The text about an error.
    public func message(for error: PlugboardError) -> String { error.reason }
}
