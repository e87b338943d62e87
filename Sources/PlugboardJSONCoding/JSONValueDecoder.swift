import PlugboardJSON

/// Decodes `Decodable` values from JSON.
///
/// Strict by default: a key that the type does not read is an error, which names the nearest key that it reads.
/// Integers may be written as `1.0` or `1e2`. A number that does not fit in its type is an error. `JSONValue`,
/// `JSONObject` and `JSONNumber` are decoded unchanged.
public struct JSONValueDecoder: Sendable {
    /// Whether unknown keys are errors. A `decode` that fails inside a type's `init(from:)` does not count, so that a
    /// type may try alternatives.
    public var strict: Bool

    /// - Parameter strict: Whether unknown keys are errors.
    public init(strict: Bool = true) { self.strict = strict }

    /// Decodes a value. Throws the first error with its path.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from value: JSONValue
    ) throws(JSONDecodingError) -> Value {
        let session = DecodingSession(isStrict: strict)
        do {
            return try DecodingNode(value, at: .root, in: session).decode(type)
        } catch let error as DecodingError {
            throw JSONDecodingError(error)
        } catch {
            throw JSONDecodingError(path: session.failedPath ?? JSONPath(), reason: "\(error)")
        }
    }
}

/// The error for a JSON value that a type cannot decode, with its path.
public struct JSONDecodingError: Error, Sendable, Hashable {
    /// The path of the value.
    public let path: JSONPath
    /// One sentence without a full stop. It quotes keys, but no values, unless an error of the type does.
    public let reason: String

    /// An error at a path.
    public init(path: JSONPath, reason: String) {
        self.path = path
        self.reason = reason
    }

    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            self.init(path: JSONPath(codingPath: context.codingPath), reason: context.debugDescription)
        case .keyNotFound(_, let context):
            self.init(path: JSONPath(codingPath: context.codingPath), reason: context.debugDescription)
        @unknown default:
            self.init(path: JSONPath(), reason: "the value cannot be decoded")
        }
    }
}

extension JSONDecodingError: CustomStringConvertible {
    /// `PATH: REASON`.
    public var description: String { "\(path): \(reason)" }
}
