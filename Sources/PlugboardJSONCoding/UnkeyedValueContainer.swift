import PlugboardJSON

struct UnkeyedValueContainer: UnkeyedDecodingContainer {
    private let elements: [JSONValue]
    private let path: CodingPath
    private let session: DecodingSession
    private(set) var currentIndex = 0

    init(_ elements: [JSONValue], at path: CodingPath, in session: DecodingSession) {
        self.elements = elements
        self.path = path
        self.session = session
    }

    var codingPath: [any CodingKey] { path.keys }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    /// An element that cannot be decoded is not skipped, as `UnkeyedDecodingContainer` demands.
    private mutating func next<Value>(_ type: Value.Type, _ decode: (DecodingNode) throws -> Value) throws -> Value {
        let key = IndexKey(currentIndex)
        guard !isAtEnd else {
            let reason = "the array has only \(elements.count) elements"
            throw DecodingError.valueNotFound(type, .init(codingPath: codingPath, debugDescription: reason))
        }
        let value = try decode(DecodingNode(elements[currentIndex], at: path.appending(key), in: session))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        let isNull = try next(Bool.self) { $0.value.isNull }
        if !isNull { currentIndex -= 1 }
        return isNull
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try next(KeyedDecodingContainer<Key>.self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next((any UnkeyedDecodingContainer).self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next(type) { try $0.decode(type) }
    }
    mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $0.bool() } }
    mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.string() } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $0.double() } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next(type) { try $0.float() } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next(type) { try $0.integer(type) } }
}
