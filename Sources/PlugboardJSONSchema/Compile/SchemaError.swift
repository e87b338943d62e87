/// The error for a schema that cannot be compiled.
public struct SchemaError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of the mistake.
    public enum Kind: Sendable, Hashable {
        /// The schema does not follow its draft.
        case invalid
        /// A reference leads to a document that is not registered.
        case missingDocument(String)
        /// A reference points to no schema in its document.
        case missingTarget
        /// A schema applies itself to the same value, which would never end.
        case endless
        /// A regular expression is invalid, or cannot be translated.
        case pattern
        /// The schema is larger than a limit.
        case limit
    }

    /// The kind of the mistake.
    public let kind: Kind
    /// The URI of the place in the schema, with a JSON Pointer as its fragment.
    public let location: String
    /// The mistake and its correction, in one sentence.
    public let reason: String

    /// `LOCATION: REASON`.
    public var description: String { "\(location): \(reason)" }
}
