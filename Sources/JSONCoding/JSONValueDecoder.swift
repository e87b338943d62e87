import JSON

/// Makes `Decodable` values from JSON.
///
/// Strict by default: a key that the type never asked for is an error, which names the nearest key that it did ask for.
/// Integers may be written as `1.0` or `1e2`; what does not fit its type is an error, never rounded to infinity or
/// wrapped. `JSONValue`, `JSONObject` and `JSONNumber` are taken as they are.
public struct JSONValueDecoder: Sendable {
    /// Whether unknown keys are errors. A failed `decode` inside a type's own `init(from:)` leaves no trace, so
    /// alternatives may be tried.
    public var strict: Bool

    public init(strict: Bool = true) { self.strict = strict }

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

/// Why a JSON value is not what a type expects, and where.
public struct JSONDecodingError: Error, Sendable, Hashable {
    public let path: JSONPath
    /// One sentence without a full stop. Shows keys, but no values, unless a type's own error does.
    public let reason: String

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
    public var description: String { "\(path): \(reason)" }
}
