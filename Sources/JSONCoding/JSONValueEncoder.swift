import JSON

/// Makes JSON of `Encodable` values.
///
/// Members stand in the order in which the type encodes them, absent optionals are left out. `JSONValue`, `JSONObject`
/// and `JSONNumber` stay as they are.
public struct JSONValueEncoder: Sendable {
    public init() {}

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

/// Why a value has no JSON form: a double is not finite, or a type's own `encode(to:)` has thrown.
public struct JSONEncodingError: Error, Sendable, Hashable {
    public let path: JSONPath
    /// One sentence without a full stop.
    public let reason: String

    public init(path: JSONPath, reason: String) {
        self.path = path
        self.reason = reason
    }
}

extension JSONEncodingError: CustomStringConvertible {
    public var description: String { "\(path): \(reason)" }
}
