public import PlugboardJSON
public import PlugboardMessages

/// A form of documents other than JSON, such as YAML (`DocumentFormat.yaml` of PlugboardYAML).
public struct DocumentFormat: Sendable {
    /// The ends of files' names behind the last dot, in lowercase.
    public let endings: [String]
    /// Media types, in lowercase and without parameters.
    public let types: [String]
    /// The value of a document, given its bytes and its file's name for errors. Blocks.
    public let read: @Sendable ([UInt8], String?) throws(PlugboardError) -> JSONValue

    /// - Parameter read: Throws `configuration`, with line and column, for a text of another form.
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
    /// The format of a file by the end of its name; nil for JSON.
    func format(ofFile path: String) -> DocumentFormat? {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let ending = path[dot...].dropFirst().lowercased()
        return first { $0.endings.contains(ending) }
    }

    /// The format of a media type; nil for JSON and for unknown types.
    func format(ofType type: String?) -> DocumentFormat? {
        let essence = (type ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
        return first { $0.types.contains(essence) }
    }
}
