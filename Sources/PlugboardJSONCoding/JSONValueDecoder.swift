@_spi(Tape) public import PlugboardJSON

/// Decodes `Decodable` values from JSON: from a text, without an intermediate tree of values, or from a value.
///
/// Strict by default: a key that the type does not read is an error, which names the most similar key of the type.
/// Integers may be written as `1.0` or `1e2`. A number that does not fit in its type is an error. `JSONValue`,
/// `JSONObject` and `JSONNumber` are decoded unchanged. Of equal keys of an object, the last is used. Time is linear
/// in the size of the text.
public struct JSONValueDecoder: Sendable {
    typealias Reader = @Sendable (any Decoder) throws -> Any

    /// Whether unknown keys are errors. A `decode` that fails inside a type's `init(from:)` is no error, so that a type
    /// may try alternatives.
    public var strict: Bool
    /// The relation of keys to the names of properties.
    public var keys: JSONKeyStrategy
    /// Extensions of RFC 8259, and limits.
    public var options: JSONParser.Options
    private(set) var readers: [ObjectIdentifier: Reader] = [:]

    /// - Parameter strict: Whether unknown keys are errors.
    public init(
        strict: Bool = true, keys: JSONKeyStrategy = .unchanged, options: JSONParser.Options = JSONParser.Options()
    ) {
        self.strict = strict
        self.keys = keys
        self.options = options
    }

    /// Decodes a type by a closure instead of its `init(from:)`, for example dates from text.
    ///
    /// It has no effect on strings, booleans, numbers and JSON values. For its own type, a closure is not called again.
    public mutating func read<Value>(_ type: Value.Type, by reader: @escaping @Sendable (any Decoder) throws -> Value) {
        readers[ObjectIdentifier(type)] = { try reader($0) }
    }

    /// Decodes a value. Throws the first error with its path.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from value: JSONValue
    ) throws(JSONDecodingError) -> Value {
        var unlimited = self
        unlimited.options = .unlimited
        let text: [UInt8] = JSONWriter.write(value)
        return try unlimited.decode(type, from: text)
    }

    /// Decodes a text. Throws the first error of the text with its position, or of a value with its path.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from text: UnsafeRawBufferPointer
    ) throws(JSONDecodingError) -> Value {
        let tape: JSONTape
        do throws(JSONFailure) {
            tape = try JSONTape(text, options: options)
        } catch {
            let error = JSONError(error, in: text)
            throw JSONDecodingError(path: JSONPath(), reason: error.reason, position: error.position)
        }
        if type == JSONValue.self { return unsafeBitCast(tape.value, to: type) }
        let session = DecodingSession(tape, self)
        let root = DecodingNode(session: session, token: 0, parent: 0, step: 0, frame: session.makeFrame())
        do {
            return try root.value(type)
        } catch let error as DecodingError {
            throw JSONDecodingError(error)
        } catch {
            throw JSONDecodingError(path: session.failedPath ?? JSONPath(), reason: "\(error)")
        }
    }

    /// Decodes a text. Throws the first error of the text with its position, or of a value with its path.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from text: [UInt8]
    ) throws(JSONDecodingError) -> Value {
        try text.span.withUnsafeBytes { (bytes) throws(JSONDecodingError) -> Value in try decode(type, from: bytes) }
    }
}
