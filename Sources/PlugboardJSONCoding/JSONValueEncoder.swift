import PlugboardJSON

/// Encodes `Encodable` values as JSON.
///
/// Members have the order in which the type encodes them; optionals that are nil are omitted. `JSONValue`, `JSONObject`
/// and `JSONNumber` are encoded unchanged.
public struct JSONValueEncoder: Sendable {
    /// An encoder.
    public init() {}

    /// Encodes a value. Throws the first error with its path.
    public func encode(_ value: some Encodable) throws(JSONEncodingError) -> JSONValue {
        do {
            let node = EncodingNode(at: .root)
            try node.encode(value)
            return node.value
        } catch EncodingError.invalidValue(_, let context) {
            throw JSONEncodingError(path: JSONPath(codingPath: context.codingPath), reason: context.debugDescription)
        } catch {
            throw JSONEncodingError(path: JSONPath(), reason: "\(error)")
        }
    }
}

/// The error for a value that has no JSON form: a double is not finite, or the `encode(to:)` of a type has thrown.
public struct JSONEncodingError: Error, Sendable, Hashable {
    /// The path of the value.
    public let path: JSONPath
    /// One sentence without a full stop.
    public let reason: String

    /// An error at a path.
    public init(path: JSONPath, reason: String) {
        self.path = path
        self.reason = reason
    }
}

extension JSONEncodingError: CustomStringConvertible {
    /// `PATH: REASON`.
    public var description: String { "\(path): \(reason)" }
}
