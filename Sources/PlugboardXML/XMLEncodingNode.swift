/// A value that a type is encoding. It is a class, because containers write into it after they were returned.
final class XMLEncodingNode: Encoder {
    private enum Content {
        case nothing
        case null
        case text(String)
        case list([XMLEncodingNode])
        case members([(key: String, node: XMLEncodingNode)])
    }

    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    private let depth: Int
    private var content = Content.nothing

    init(path: [any CodingKey], depth: Int) {
        codingPath = path
        self.depth = depth
    }

    // MARK: What was written

    func root(named name: String) -> XMLTree {
        // A list has no element for itself.
        if case .list(let nodes) = content { return XMLTree(name, children: nodes.flatMap { $0.elements("item") }) }
        return elements(name).first ?? XMLTree(name)
    }

    /// One element, or one for each value of a list.
    private func elements(_ name: String) -> [XMLTree] {
        switch content {
        case .nothing: return [XMLTree(name)]
        case .null:
            let schema = "http://www.w3.org/2001/XMLSchema-instance"
            return [XMLTree(name, attributes: [("xmlns:xsi", schema), (XMLTree.nilAttribute, "true")])]
        case .text(let text): return [XMLTree(name, text: text)]
        case .list(let nodes):
            return nodes.flatMap { node in
                // A list within a list needs an enclosing element.
                if case .list = node.content { return [node.root(named: name)] }
                return node.elements(name)
            }
        case .members(let members):
            var element = XMLTree(name)
            for (key, node) in members { node.add(to: &element, as: key) }
            return [element]
        }
    }

    private func add(to element: inout XMLTree, as key: String) {
        switch content {
        case .text(let text) where key == "#text": element.text = text
        case .text(let text) where key.utf8.first == UInt8(ascii: "@"):
            element.attributes.append((String(key.dropFirst()), text))
        default: element.children += elements(key)
        }
    }

    // MARK: Writing

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .members = content {} else { content = .members([]) }
        return KeyedEncodingContainer(XMLKeyedEncoding(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .list = content {} else { content = .list([]) }
        return XMLUnkeyedEncoding(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { XMLSingleEncoding(node: self) }

    var count: Int {
        if case .list(let nodes) = content { nodes.count } else { 0 }
    }

    func member(_ key: any CodingKey) -> XMLEncodingNode {
        let node = XMLEncodingNode(path: codingPath + [key], depth: depth + 1)
        if case .members(var members) = content {
            // Avoids a second owner of the array, which would then be copied for each member.
            content = .nothing
            members.append((key.stringValue, node))
            content = .members(members)
        }
        return node
    }

    func element() -> XMLEncodingNode {
        let node = XMLEncodingNode(path: codingPath + [XMLKey(index: count)], depth: depth + 1)
        if case .list(var nodes) = content {
            content = .nothing
            nodes.append(node)
            content = .list(nodes)
        }
        return node
    }

    func writeNil() { content = .null }

    func write<Value: Encodable>(_ value: Value) throws {
        switch value {
        case let text as String: content = .text(text)
        case let bool as Bool: content = .text(bool ? "true" : "false")
        case let number as any FixedWidthInteger: content = .text("\(number)")
        case let number as any BinaryFloatingPoint & CustomStringConvertible: content = .text(number.description)
        default:
            guard depth < XMLReader.depthLimit else {
                let reason = "the value is nested deeper than the limit of \(XMLReader.depthLimit)"
                throw EncodingError.invalidValue(
                    Value.self, .init(codingPath: codingPath, debugDescription: reason))
            }
            try value.encode(to: self)
        }
    }
}

// One generic `encode` in each container also implements the other overloads of the protocol.

struct XMLKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: XMLEncodingNode
    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) { node.member(key).writeNil() }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try node.member(key).write(value) }
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        node.member(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { node.member(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { node.member(XMLKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { node.member(key) }
}

struct XMLUnkeyedEncoding: UnkeyedEncodingContainer {
    let node: XMLEncodingNode
    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int { node.count }

    func encodeNil() { node.element().writeNil() }
    func encode<Value: Encodable>(_ value: Value) throws { try node.element().write(value) }
    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        node.element().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.element().unkeyedContainer() }
    func superEncoder() -> any Encoder { node.element() }
}

struct XMLSingleEncoding: SingleValueEncodingContainer {
    let node: XMLEncodingNode
    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil() { node.writeNil() }
    func encode<Value: Encodable>(_ value: Value) throws { try node.write(value) }
}
