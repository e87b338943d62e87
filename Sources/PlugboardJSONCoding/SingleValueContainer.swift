import PlugboardJSON

struct SingleValueContainer: SingleValueDecodingContainer {
    let node: DecodingNode

    var codingPath: [any CodingKey] { node.codingPath }

    func decodeNil() -> Bool { node.value.isNull }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // A separate node, because keys that this type reads must not count as read by the outer one.
        try DecodingNode(node.value, at: node.path, in: node.session).decode(type)
    }
    func decode(_ type: Bool.Type) throws -> Bool { try node.bool() }
    func decode(_ type: String.Type) throws -> String { try node.string() }
    func decode(_ type: Double.Type) throws -> Double { try node.double() }
    func decode(_ type: Float.Type) throws -> Float { try node.float() }
    func decode(_ type: Int.Type) throws -> Int { try node.integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try node.integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try node.integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try node.integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try node.integer(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try node.integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try node.integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try node.integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try node.integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try node.integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try node.integer(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try node.integer(type) }
}
