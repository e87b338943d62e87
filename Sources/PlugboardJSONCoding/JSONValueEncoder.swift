public import PlugboardJSON

/// Encodes `Encodable` values as JSON: as a text, without an intermediate tree of values, or as a value.
///
/// Members have the order in which the type encodes them; optionals that are nil are omitted. `JSONValue`, `JSONObject`
/// and `JSONNumber` are encoded unchanged. A type that encodes a key twice writes it twice; in a value the last one is
/// used.
public struct JSONValueEncoder: Sendable {
    typealias Writer = @Sendable (Any, any Encoder) throws -> Void

    /// The most levels of nested values, which makes a cycle of references an error.
    static let depthLimit = 512

    /// The relation of keys to the names of properties.
    public var keys: JSONKeyStrategy
    private var writers: [ObjectIdentifier: Writer] = [:]
    /// Whether a type is encoded by a closure.
    package var hasWriters: Bool { !writers.isEmpty }

    /// Creates an encoder.
    public init(keys: JSONKeyStrategy = .unchanged) { self.keys = keys }

    /// Encodes a type by a closure instead of its `encode(to:)`, for example dates as text.
    ///
    /// It has no effect on strings, booleans, numbers and JSON values.
    public mutating func write<Value>(
        _ type: Value.Type, by writer: @escaping @Sendable (Value, any Encoder) throws -> Void
    ) {
        writers[ObjectIdentifier(type)] = { value, encoder in
            if let value = value as? Value { try writer(value, encoder) }
        }
    }

    /// Encodes a value. Throws the first error with its path.
    public func encode(_ value: some Encodable) throws(JSONEncodingError) -> JSONValue {
        let text = try bytes(of: value)
        do throws(JSONError) {
            return try JSONParser.parse(text, options: .unlimited)
        } catch {
            throw JSONEncodingError(path: JSONPath(), reason: error.reason)
        }
    }

    /// Encodes a value as compact JSON in UTF-8. Throws the first error with its path.
    public func bytes(of value: some Encodable) throws(JSONEncodingError) -> [UInt8] {
        let text = EncodingText(keys: keys, writers: writers, path: [], outerDepth: 0, capacity: 1024)
        do {
            try text.encode(value, keyStart: 0)
        } catch EncodingError.invalidValue(_, let context) {
            throw JSONEncodingError(path: JSONPath(codingPath: context.codingPath), reason: context.debugDescription)
        } catch {
            throw JSONEncodingError(path: JSONPath(codingPath: text.path()), reason: "\(error)")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        text.finish { bytes.append(contentsOf: $0) }
        return bytes
    }
}

/// The error for a value without a JSON form: a double is not finite, or the `encode(to:)` of a type has thrown.
public struct JSONEncodingError: Error, Sendable, Hashable {
    /// The path of the value.
    public let path: JSONPath
    /// One sentence without a full stop.
    public let reason: String

    /// Creates an error at a path.
    public init(path: JSONPath, reason: String) {
        self.path = path
        self.reason = reason
    }
}

extension JSONEncodingError: CustomStringConvertible {
    /// `PATH: REASON`.
    public var description: String { "\(path): \(reason)" }
}
