public import PlugboardJSON
public import PlugboardMessages

/// A format of documents other than JSON, such as YAML (`DocumentFormat.yaml` of PlugboardYAML).
public struct DocumentFormat: Sendable {
    /// File name extensions without the dot, in lowercase.
    public let endings: [String]
    /// Media types, in lowercase and without parameters.
    public let types: [String]
    /// Reads a document from its bytes; the file's name is for errors. Blocks.
    public let read: @Sendable ([UInt8], String?) throws(PlugboardError) -> JSONValue

    /// - Parameter read: Throws `configuration`, with line and column, for an invalid document.
    public init(
        endings: [String], types: [String],
        read: @escaping @Sendable (_ bytes: [UInt8], _ name: String?) throws(PlugboardError) -> JSONValue
    ) {
        self.endings = endings
        self.types = types
        self.read = read
    }
}

extension [DocumentFormat] {
    /// The format for the extension of a file's name; nil for JSON.
    func format(ofFile path: String) -> DocumentFormat? {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let ending = path[dot...].dropFirst().lowercased()
        return first { $0.endings.contains(ending) }
    }

    /// The format for a media type; nil for JSON and for unknown types.
    func format(ofType type: String?) -> DocumentFormat? {
        let essence = (type ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
        return first { $0.types.contains(essence) }
    }
}
