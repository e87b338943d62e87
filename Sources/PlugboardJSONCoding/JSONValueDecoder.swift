public import PlugboardJSON

/// Decodes `Decodable` values from JSON: from a text, without a tree of values between, or from a value.
///
/// Strict by default: a key that the type does not read is an error, which names the nearest key that it reads.
/// Integers may be written as `1.0` or `1e2`. A number that does not fit in its type is an error. `JSONValue`,
/// `JSONObject` and `JSONNumber` are decoded unchanged. Of equal keys of an object, the last counts. The time is linear
/// in the size of the text.
public struct JSONValueDecoder: Sendable {
    typealias Reader = @Sendable (any Decoder) throws -> Any

    /// Whether unknown keys are errors. A `decode` that fails inside a type's `init(from:)` does not count, so that a
    /// type may try alternatives.
    public var strict: Bool
    /// How keys are spelled.
    public var keys: JSONKeyStrategy
    /// What is allowed beyond RFC 8259, and limits. Comments and trailing commas cost a second pass over the text.
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

    /// Decodes a type by a closure instead of its `init(from:)`: dates from text, for example.
    ///
    /// It has no effect on strings, booleans, numbers and JSON values, nor on what a closure decodes as its own type.
    public mutating func read<Value>(_ type: Value.Type, by reader: @escaping @Sendable (any Decoder) throws -> Value) {
        readers[ObjectIdentifier(type)] = { try reader($0) }
    }

    /// Decodes a value. Throws the first error with its path.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from value: JSONValue
    ) throws(JSONDecodingError) -> Value {
        var unlimited = self
        unlimited.options = JSONParser.Options()
        unlimited.options.depthLimit = JSONParser.Options.deepest
        unlimited.options.sizeLimit = .max
        let text: [UInt8] = JSONWriter.write(value)
        return try unlimited.decode(type, from: text)
    }

    /// Decodes a text. Throws the first error of the text with its position, or of a value with its path.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from text: UnsafeRawBufferPointer
    ) throws(JSONDecodingError) -> Value {
        if type == JSONValue.self {
            let value = try parse(text)
            return unsafeBitCast(value, to: type)
        }
        return try decode(type, from: try tape(of: text))
    }

    /// Decodes a text. Throws the first error of the text with its position, or of a value with its path.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from text: [UInt8]
    ) throws(JSONDecodingError) -> Value {
        try text.span.withUnsafeBytes { (bytes) throws(JSONDecodingError) -> Value in try decode(type, from: bytes) }
    }

    private func decode<Value: Decodable>(_ type: Value.Type, from tape: JSONTape) throws(JSONDecodingError) -> Value {
        let session = DecodingSession(tape, self)
        let root = DecodingNode(
            session: session, token: JSONTape.root, parent: 0, step: 0, frame: session.makeFrame())
        do {
            return try root.value(type)
        } catch let error as DecodingError {
            throw JSONDecodingError(error)
        } catch {
            throw JSONDecodingError(path: session.failedPath ?? JSONPath(), reason: "\(error)")
        }
    }

    private func tape(of text: UnsafeRawBufferPointer) throws(JSONDecodingError) -> JSONTape {
        do throws(JSONTapeScanner.Refused) {
            // Offsets and tokens are numbers of 32 bits, and the parser's own limit comes first.
            guard text.count <= min(options.sizeLimit, Int(UInt32.max) - 64), !options.allowsComments,
                !options.allowsTrailingCommas
            else { throw .init() }
            let tape = JSONTape(copying: text)
            try JSONTapeScanner.scan(tape, options: options)
            return tape
        } catch {
            return try parsedTape(of: text)
        }
    }

    /// Lets the parser say what is wrong, or leave out what only it can read.
    private func parsedTape(of text: UnsafeRawBufferPointer) throws(JSONDecodingError) -> JSONTape {
        let value = try parse(text)
        let plain: [UInt8] = JSONWriter.write(value)
        let tape = plain.withUnsafeBytes { JSONTape(copying: $0) }
        guard plain.count <= Int(UInt32.max) - 64, (try? JSONTapeScanner.scan(tape, options: options)) != nil else {
            throw JSONDecodingError(path: JSONPath(), reason: "the text is larger than 4 GiB")
        }
        return tape
    }

    private func parse(_ text: UnsafeRawBufferPointer) throws(JSONDecodingError) -> JSONValue {
        do throws(JSONError) {
            return try JSONParser.parse(text, options: options)
        } catch {
            throw JSONDecodingError(path: JSONPath(), reason: error.reason, position: error.position)
        }
    }
}
