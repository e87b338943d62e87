@_spi(Tape) import PlugboardJSON

struct KeyedNodeDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let node: DecodingNode
    private let place: UInt32

    init(_ node: DecodingNode) {
        self.node = node
        place = node.session.open(node)
    }

    private var session: DecodingSession { node.session }

    var codingPath: [any CodingKey] { node.codingPath }

    var allKeys: [Key] {
        var keys: [Key] = []
        session.tokens.forEachKey(of: Int(node.token)) { token in
            let name = session.tokens.string(token)
            if let key = Key(stringValue: name) {
                keys.append(key)
            } else if session.keys == .snakeCase, let key = Key(stringValue: JSONKeyStrategy.camelCased(name)) {
                keys.append(key)
            }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    /// The token of a key; nil if the object has none.
    @inline(__always)
    private func find(_ key: some CodingKey) -> UInt32? {
        var name = key.stringValue
        let token = name.withUTF8 { node.session.find($0, in: place) }
        if !node.session.isPlain { return findOther(key.stringValue, token) }
        return token
    }

    @inline(never)
    private func findOther(_ name: String, _ exact: UInt32?) -> UInt32? {
        var (name, token) = (name, exact)
        if token == nil, session.keys == .snakeCase {
            name = session.converted(name)
            token = name.withUTF8 { session.find($0, in: place) }
        }
        if node.frame != 0 {
            session.frame(node.frame, for: node.token, at: node.path).ask(for: name, found: token)
        }
        return token
    }

    @inline(__always)
    private func node(at token: UInt32) -> DecodingNode {
        DecodingNode(
            session: node.session, token: token &+ 1, parent: place, step: token,
            frame: node.session.isStrict ? node.session.makeFrame() : 0)
    }

    @inline(__always)
    private func node(_ key: some CodingKey) throws -> DecodingNode {
        guard let token = find(key) else { throw missing(key) }
        return node(at: token)
    }

    @inline(never)
    private func missing(_ key: some CodingKey) -> DecodingError {
        let name = session.keys == .snakeCase ? session.converted(key.stringValue) : key.stringValue
        var nearest: String?
        if node.frame != 0 {
            nearest = session.frame(node.frame, for: node.token, at: node.path).nearest(
                to: name, in: session.tokens)
        }
        let suggestion = nearest.map { "; the nearest key that is there is \($0.quotedForError)" } ?? ""
        return .keyNotFound(
            key,
            .init(codingPath: codingPath, debugDescription: "the key \(name.quotedForError) is missing\(suggestion)"))
    }

    func decodeNil(forKey key: Key) throws -> Bool { try node(key).decodeNil() }

    // These two also implement the other overloads of the protocol.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try node(key).value(type) }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let token = find(key), session.tokens[Int(token) &+ 1].kind != .null else { return nil }
        return try node(at: token).value(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try node(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try node(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { superDecoder(at: DocumentKey.super) }
    func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(at: key) }

    /// The decoder for a superclass. A missing key is read as null.
    private func superDecoder(at key: some CodingKey) -> DecodingNode {
        find(key).map { node(at: $0) }
            ?? DecodingNode(session: session, token: session.missing, parent: place, step: 0, frame: 0)
    }
}
