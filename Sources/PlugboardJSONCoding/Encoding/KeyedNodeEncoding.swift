import PlugboardJSON

struct KeyedNodeEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.codingPath }

    /// Writes a key, and its value by `append`. Removes the key if the value cannot be encoded.
    @inline(__always)
    private func member(_ key: some CodingKey, _ append: (EncodingText, _ keyStart: Int) throws -> Void) throws {
        try node.require(.object)
        let text = node.text
        let start = text.count
        text.beginPart()
        let keyStart = text.count
        text.append(quoting: text.keys == .unchanged ? key.stringValue : converted(key))
        text.append(UInt8(ascii: ":"))
        do {
            try append(text, keyStart)
        } catch {
            text.dropPart(from: start, level: node.depth)
            throw error
        }
    }

    /// The converted key. Keys of dictionaries are not converted.
    private func converted(_ key: some CodingKey) -> String {
        "\(Key.self)" == "_DictionaryCodingKey" ? key.stringValue : JSONKeyStrategy.snakeCased(key.stringValue)
    }

    func encodeNil(forKey key: Key) throws { try member(key) { text, _ in text.append(literal: "null") } }

    // This overload also implements the other overloads of the protocol.
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try member(key) { text, keyStart in try text.encode(value, keyStart: keyStart) }
    }

    /// A member whose value may be written at any time until the end.
    private func inserted(_ key: some CodingKey) -> EncodingNode {
        let path = codingPath + [key]
        var inserted: EncodingNode?
        // This function cannot throw: text that is written to a container that is not open is dropped.
        try? member(key) { text, _ in inserted = EncodingNode(insertedIn: text, at: path) }
        return inserted ?? .unused(by: node.text)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        inserted(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { inserted(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { inserted(DocumentKey.super) }
    func superEncoder(forKey key: Key) -> any Encoder { inserted(key) }
}
