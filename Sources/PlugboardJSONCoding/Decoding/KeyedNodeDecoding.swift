import PlugboardJSON

struct KeyedNodeDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let node: DecodingNode

    private var session: DecodingSession { node.session }
    private var tape: JSONTape { node.session.tape }

    var codingPath: [any CodingKey] { node.codingPath }

    var allKeys: [Key] {
        tape.keyTokens(of: node.token).compactMap { token in
            let key = tape.string(token)
            if let found = Key(stringValue: key) { return found }
            return session.keys == .snakeCase ? Key(stringValue: JSONKeyStrategy.camelCased(key)) : nil
        }
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    /// The token of a key; nil if the object has none.
    @inline(__always)
    private func find(_ key: some CodingKey) -> UInt32? {
        var name = key.stringValue
        let token = name.withUTF8 { node.session.tape.find($0, in: node.token) }
        if !node.session.isPlain { return findOther(key.stringValue, token) }
        return token
    }

    @inline(never)
    private func findOther(_ name: String, _ exact: UInt32?) -> UInt32? {
        var (name, token) = (name, exact)
        if token == nil, session.keys == .snakeCase {
            name = session.converted(name)
            token = name.withUTF8 { tape.find($0, in: node.token) }
        }
        if node.frame != 0 {
            session.frame(node.frame, for: node.token, at: node.path).ask(for: name, found: token)
        }
        return token
    }

    @inline(__always)
    private func node(at token: UInt32) -> DecodingNode {
        DecodingNode(
            session: node.session, token: token &+ 1, parent: node.token, step: token,
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
            nearest = session.frame(node.frame, for: node.token, at: node.path).nearest(to: name, in: tape)
        }
        let suggestion = nearest.map { "; the nearest key that is there is \($0.quotedForError)" } ?? ""
        return .keyNotFound(
            key,
            .init(codingPath: codingPath, debugDescription: "the key \(name.quotedForError) is missing\(suggestion)"))
    }

    func decodeNil(forKey key: Key) throws -> Bool { try node(key).decodeNil() }

    // These two stand for all overloads of the protocol.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try node(key).value(type) }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let token = find(key), tape[token &+ 1].kind != .null else { return nil }
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

    /// A missing key is read as null.
    private func superDecoder(at key: some CodingKey) -> DecodingNode {
        find(key).map { node(at: $0) }
            ?? DecodingNode(session: session, token: JSONTape.missing, parent: node.token, step: 0, frame: 0)
    }
}
