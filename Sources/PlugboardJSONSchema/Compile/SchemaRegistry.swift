import PlugboardJSON

/// Documents that schemas refer to, by URI. The meta-schemas of all drafts are always included.
public struct SchemaRegistry: Sendable {
    private(set) var documents: [ExactText: JSONValue] = [:]

    /// Creates a registry without further documents.
    public init() {}

    /// Registers a document under the URI by which references name it. A fragment of the URI is ignored.
    public mutating func add(_ document: JSONValue, uri: String) {
        documents[ExactText(URIReference.split(uri).uri)] = document
    }

    /// Whether no document is registered.
    public var isEmpty: Bool { documents.isEmpty }
}
