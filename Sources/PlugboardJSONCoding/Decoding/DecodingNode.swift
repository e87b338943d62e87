@_spi(Tape) import PlugboardJSON

/// A part of a JSON text that a type is decoding. It is small enough to be stored inline in `any Decoder`.
struct DecodingNode: Decoder {
    let session: DecodingSession
    let token: UInt32
    /// The place of the array or object that contains the value; 0 at the root.
    let parent: UInt32
    /// The index in an array, or the token of the key; in an object, 0 stands for a superclass.
    let step: UInt32
    /// The number of the frame; 0 unless the session is strict.
    let frame: UInt32

    var codingPath: [any CodingKey] { path.elements.map(DocumentKey.init) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    @inline(__always) var kind: JSONToken.Kind { session.tokens[Int(token)].kind }

    var path: JSONPath { session.path(to: parent, step) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard kind == .object else { throw mismatch([String: Any].self, "an object is expected") }
        if frame != 0 { session.frame(frame, for: token, at: path).isKeyed = true }
        return KeyedDecodingContainer(KeyedNodeDecoding<Key>(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard kind == .array else { throw mismatch([Any].self, "an array is expected") }
        return UnkeyedNodeDecoding(self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        if frame != 0, kind == .object { session.frame(frame, for: token, at: path).isDelegated = true }
        return self
    }

    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "\(expected), not \(kind.name)")
        return kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

extension DecodingNode: SingleValueDecodingContainer {
    func decodeNil() -> Bool { kind == .null }

    // This overload also implements the other overloads of the protocol.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // Uses a frame of its own, because keys that this type reads must not count as read by the outer one.
        try DecodingNode(session: session, token: token, parent: parent, step: step, frame: session.makeFrame())
            .value(type)
    }
}
