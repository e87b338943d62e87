import PlugboardJSON

/// A JSON value that a type is encoding. It is a class, because containers write into it after they were returned.
final class EncodingNode: Encoder {
    private enum Content {
        case value(JSONValue)
        case array([EncodingNode])
        case object([(key: String, node: EncodingNode)])
    }

    let path: CodingPath
    private var content: Content?

    init(at path: CodingPath) { self.path = path }

    /// The value; an empty object if nothing was written.
    var value: JSONValue {
        switch content {
        case .value(let value): value
        case .array(let nodes): .array(nodes.map(\.value))
        case .object(let members): .object(JSONObject(members.map { ($0.key, $0.node.value) }))
        case nil: .object([:])
        }
    }

    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedNodeContainer(node: beginObject()))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedNodeContainer(node: beginArray()) }
    func singleValueContainer() -> any SingleValueEncodingContainer { SingleNodeContainer(node: self) }

    /// Replaces whatever else has been written.
    func beginObject() -> EncodingNode {
        if case .object = content { return self }
        content = .object([])
        return self
    }

    /// Replaces whatever else has been written.
    func beginArray() -> EncodingNode {
        if case .array = content { return self }
        content = .array([])
        return self
    }

    var elementCount: Int {
        if case .array(let nodes) = content { nodes.count } else { 0 }
    }

    /// Adds a member; of equal keys, the last value counts.
    func member(_ key: any CodingKey) -> EncodingNode {
        let node = EncodingNode(at: path.appending(key))
        if case .object(var members) = content {
            // Otherwise the array would have two owners and be copied for each member.
            content = nil
            members.append((key.stringValue, node))
            content = .object(members)
        }
        return node
    }

    func element() -> EncodingNode {
        let node = EncodingNode(at: path.appending(IndexKey(elementCount)))
        if case .array(var nodes) = content {
            content = nil
            nodes.append(node)
            content = .array(nodes)
        }
        return node
    }

    func set(_ value: JSONValue) { content = .value(value) }

    func set(_ value: some BinaryFloatingPoint & CustomStringConvertible) throws {
        // From its text, so that a Float keeps its shortest digits.
        guard value.isFinite, let number = JSONNumber(text: value.description) else {
            let reason = "JSON has no number for infinity or NaN"
            throw EncodingError.invalidValue(value, .init(codingPath: codingPath, debugDescription: reason))
        }
        set(.number(number))
    }

    func encode(_ value: some Encodable) throws {
        switch value {
        case let value as JSONValue: set(value)
        case let object as JSONObject: set(.object(object))
        case let number as JSONNumber: set(.number(number))
        default: try value.encode(to: self)
        }
    }
}
