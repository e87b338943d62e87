import PlugboardJSON

/// A value that a type is encoding. It is small enough to be stored inline in `any Encoder`.
struct EncodingNode: Encoder {
    let text: EncodingText
    let depth: Int
    let serial: Int

    /// A value that is written to a separate text until the end.
    init(insertedIn text: EncodingText, at path: [any CodingKey]) {
        self.text = text.insertText(at: path)
        depth = 0
        serial = self.text.enter(keyStart: 0)
    }

    init(_ text: EncodingText, depth: Int, serial: Int) {
        self.text = text
        self.depth = depth
        self.serial = serial
    }

    /// A value that will not be part of the text.
    static func unused(by text: EncodingText) -> EncodingNode {
        let other = EncodingText(keys: text.keys, writers: text.writers, path: text.path(), outerDepth: 0, capacity: 16)
        return EncodingNode(other, depth: 0, serial: other.enter(keyStart: 0))
    }

    var codingPath: [any CodingKey] { text.path(to: depth) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if isOpen { text.open(.object) }
        return KeyedEncodingContainer(KeyedNodeEncoding<Key>(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if isOpen { text.open(.array) }
        return UnkeyedNodeEncoding(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Whether the value is the innermost one that is being encoded.
    @inline(__always) var isOpen: Bool { text.isInnermost(depth, serial) }

    /// Throws unless the value is an object or array that can be written to.
    @inline(__always)
    func require(_ content: EncodingText.Frame.Content) throws {
        guard isOpen, text.frames[depth].content == content else { throw misused() }
    }

    @inline(never)
    func misused() -> EncodingError {
        let reason = "the type writes to a container after or while another value is encoded"
        return .invalidValue(
            "", .init(codingPath: text.path(), debugDescription: reason))
    }
}

extension EncodingNode: SingleValueEncodingContainer {
    func encodeNil() throws {
        guard isOpen else { throw misused() }
        text.beginValue()
        text.append(literal: "null")
    }

    // This overload also implements the other overloads of the protocol.
    func encode<Value: Encodable>(_ value: Value) throws {
        guard isOpen else { throw misused() }
        text.beginValue()
        do {
            try text.encode(value, keyStart: text.count)
        } catch {
            text.dropValue(level: depth)
            throw error
        }
    }
}
