import PlugboardJSON

/// A JSON value that a type is decoding.
final class DecodingNode: Decoder {
    let value: JSONValue
    let path: CodingPath
    let session: DecodingSession
    /// Shared by all containers that a type and its superclass open on the same object.
    private var access: ObjectAccess?
    private var isOpened = false

    init(_ value: JSONValue, at path: CodingPath, in session: DecodingSession) {
        self.value = value
        self.path = path
        self.session = session
    }

    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedValueContainer<Key>(try openObject(), in: session))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([Any].self, "an array is expected") }
        isOpened = true
        return UnkeyedValueContainer(elements, at: path, in: session)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        isOpened = true
        return SingleValueContainer(node: self)
    }

    func openObject() throws -> ObjectAccess {
        isOpened = true
        if let access { return access }
        guard case .object(let object) = value else { throw mismatch([String: Any].self, "an object is expected") }
        let access = ObjectAccess(object, at: path, isStrict: session.isStrict)
        session.watch(access)
        self.access = access
        return access
    }

    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "\(expected), not \(value.kind)")
        return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

extension DecodingNode {
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == JSONValue.self, let value = value as? Value { return value }
        if type == JSONObject.self {
            guard let object = value.objectValue as? Value else { throw mismatch(type, "an object is expected") }
            return object
        }
        if type == JSONNumber.self {
            guard let number = value.numberValue as? Value else { throw mismatch(type, "a number is expected") }
            return number
        }
        return try session.checked(at: path) {
            do {
                let decoded = try Value(from: self)
                // A type that reads no keys, such as one without properties, allows no keys either.
                if !isOpened, session.isStrict, value.objectValue != nil { _ = try openObject() }
                return decoded
            } catch DecodingError.dataCorrupted(let context) where context.codingPath.count == codingPath.count {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: codingPath, debugDescription: wordReason(type) ?? context.debugDescription))
            }
        }
    }

    /// The words of an enum. The reason of the standard library would quote the value.
    private func wordReason(_ type: Any.Type) -> String? {
        guard let word = value.stringValue, type is any (RawRepresentable<String>).Type else { return nil }
        let words = (type as? any CaseIterable.Type).map { Self.words($0) } ?? []
        guard !words.isEmpty else {
            return "the string is not one of the known words"
        }
        let suggestion = Spelling.nearest(word, in: words).map { "; the nearest is \($0.quotedForError)" } ?? ""
        return "one of \(words.map { $0.quotedForError }.joined(separator: ", ")) is expected\(suggestion)"
    }

    private static func words<Words: CaseIterable>(_ type: Words.Type) -> [String] {
        type.allCases.compactMap { ($0 as? any RawRepresentable<String>)?.rawValue }
    }

    func bool() throws -> Bool {
        guard case .bool(let bool) = value else { throw mismatch(Bool.self, "a boolean is expected") }
        return bool
    }

    func string() throws -> String {
        guard case .string(let string) = value else { throw mismatch(String.self, "a string is expected") }
        return string
    }

    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        guard case .number(let number) = value else { throw mismatch(type, "an integer is expected") }
        guard let integer = number.integer(type) else {
            let reason =
                number.isInteger ? "the number does not fit in \(type)" : "an integer is expected, not a fraction"
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: reason))
        }
        return integer
    }

    func double() throws -> Double {
        guard case .number(let number) = value else { throw mismatch(Double.self, "a number is expected") }
        guard number.double.isFinite else { throw outOfRange(Double.self) }
        return number.double
    }

    func float() throws -> Float {
        guard case .number(let number) = value else { throw mismatch(Float.self, "a number is expected") }
        // Not converted through Double, which would round twice.
        guard let float = Float(number.text) ?? Optional(Float(number.double)), float.isFinite else {
            throw outOfRange(Float.self)
        }
        return float
    }

    private func outOfRange(_ type: Any.Type) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: "the number does not fit in \(type)"))
    }
}
