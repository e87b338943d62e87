@_spi(Tape) import PlugboardJSON

/// The elements of an array. It is small enough to be stored inline, like a node.
struct UnkeyedNodeDecoding: UnkeyedDecodingContainer {
    private let session: DecodingSession
    private let place: UInt32
    /// The token of the next element.
    private var next: UInt32
    private var position: UInt32 = 0
    private let total: UInt32

    init(_ node: DecodingNode) {
        session = node.session
        place = node.session.open(node)
        next = node.token &+ 1
        total = node.session.tokens[Int(node.token)].count
    }

    var codingPath: [any CodingKey] {
        let array = session.places[Int(place)]
        return session.path(to: array.parent, array.step).elements.map(DocumentKey.init)
    }
    var currentIndex: Int { Int(position) }
    var count: Int? { Int(total) }
    var isAtEnd: Bool { position >= total }

    @inline(__always)
    private func node(_ type: Any.Type) throws -> DecodingNode {
        guard position < total else { throw exhausted(type) }
        return DecodingNode(
            session: session, token: next, parent: place, step: position,
            frame: session.isStrict ? session.makeFrame() : 0)
    }

    @inline(never)
    private func exhausted(_ type: Any.Type) -> DecodingError {
        let reason = "the array has only \(total) elements"
        return .valueNotFound(type, .init(codingPath: codingPath, debugDescription: reason))
    }

    /// Called after an element was decoded. `UnkeyedDecodingContainer` requires that a failed element is not skipped.
    @inline(__always)
    private mutating func advance() {
        next = UInt32(truncatingIfNeeded: session.tokens.after(Int(next)))
        position &+= 1
    }

    mutating func decodeNil() throws -> Bool {
        guard try node(Bool.self).decodeNil() else { return false }
        advance()
        return true
    }

    // This overload also implements the other overloads of the protocol.
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try node(type).value(type)
        advance()
        return value
    }

    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        guard !isAtEnd else { return nil }
        return try decodeNil() ? nil : try decode(type)
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container = try node(KeyedDecodingContainer<Key>.self).container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try node((any UnkeyedDecodingContainer).self).unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try node((any Decoder).self)
        advance()
        return decoder
    }
}
