import PlugboardJSON

struct KeyedValueContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let access: ObjectAccess
    private let session: DecodingSession

    init(_ access: ObjectAccess, in session: DecodingSession) {
        self.access = access
        self.session = session
    }

    var codingPath: [any CodingKey] { access.path.keys }
    var allKeys: [Key] { access.object.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { access.value(key.stringValue) != nil }

    private func node(_ key: any CodingKey) throws -> DecodingNode {
        guard let value = access.value(key.stringValue) else { throw access.missing(key) }
        return DecodingNode(value, at: access.path.appending(key), in: session)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try node(key).value.isNull }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try node(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try node(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { superDecoder(at: SuperKey()) }
    func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(at: key) }

    /// A missing key is read as null.
    private func superDecoder(at key: any CodingKey) -> DecodingNode {
        DecodingNode(access.value(key.stringValue) ?? .null, at: access.path.appending(key), in: session)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try node(key).decode(type) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try node(key).bool() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try node(key).string() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try node(key).double() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try node(key).float() }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try node(key).integer(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try node(key).integer(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try node(key).integer(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try node(key).integer(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try node(key).integer(type) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try node(key).integer(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try node(key).integer(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try node(key).integer(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try node(key).integer(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try node(key).integer(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try node(key).integer(type) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try node(key).integer(type) }
}
