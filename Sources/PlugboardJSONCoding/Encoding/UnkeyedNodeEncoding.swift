import PlugboardJSON

struct UnkeyedNodeEncoding: UnkeyedEncodingContainer {
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int { node.isOpen ? node.text.frames[node.depth].count : 0 }

    /// Writes an element by `append`. Removes its comma if the element cannot be encoded.
    @inline(__always)
    private func element(_ append: (EncodingText) throws -> Void) throws {
        try node.require(.array)
        let text = node.text
        let start = text.count
        text.beginPart()
        do {
            try append(text)
        } catch {
            text.dropPart(from: start, level: node.depth)
            throw error
        }
    }

    func encodeNil() throws { try element { $0.append(literal: "null") } }

    // This overload also implements the other overloads of the protocol.
    func encode<Value: Encodable>(_ value: Value) throws { try element { try $0.encode(value, keyStart: $0.count) } }

    /// An element that may be written at any time until the end.
    private func inserted() -> EncodingNode {
        let path = codingPath + [DocumentKey(.index(count))]
        var inserted: EncodingNode?
        // This function cannot throw: text that is written to a container that is not open is dropped.
        try? element { inserted = EncodingNode(insertedIn: $0, at: path) }
        return inserted ?? .unused(by: node.text)
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        inserted().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { inserted().unkeyedContainer() }
    func superEncoder() -> any Encoder { inserted() }
}
