struct XMLKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let codingPath: [any CodingKey]
    private let element: XMLTree
    /// The elements of each name, with and without its prefix.
    private let elements: [String: [XMLTree]]
    /// The first value of each attribute's name, and of each other name without its prefix.
    private let attributes: [String: String]

    init(_ element: XMLTree, path: [any CodingKey]) {
        self.element = element
        codingPath = path
        var elements: [String: [XMLTree]] = [:]
        for child in element.children {
            elements[child.name, default: []].append(child)
            if let local = child.name.localName { elements[local, default: []].append(child) }
        }
        self.elements = elements
        let named = element.attributes.map { ($0.name, $0.value) }
        let local = named.compactMap { name, value in name.localName.map { ($0, value) } }
        attributes = Dictionary(named + local) { first, _ in first }
    }

    var allKeys: [Key] {
        var seen: Set<String> = []
        let names = element.attributes.map { "@\($0.name)" } + element.children.map(\.name)
        return names.filter { seen.insert($0).inserted }.compactMap { Key(stringValue: $0) }
    }

    /// Nil if there is neither an element nor an attribute with this key.
    private func content(_ key: String) -> XMLDecodingNode.Content? {
        if key == "#text" { return .text(element.text) }
        if key.utf8.first == UInt8(ascii: "@") { return attribute(String(key.dropFirst())) }
        return elements[key].map { .list($0) } ?? attribute(key)
    }

    private func attribute(_ name: String) -> XMLDecodingNode.Content? {
        attributes[name].map { .text($0) }
    }

    private func node(_ key: some CodingKey) -> XMLDecodingNode {
        XMLDecodingNode(content(key.stringValue) ?? .list([]), path: codingPath + [key])
    }

    func contains(_ key: Key) -> Bool { content(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { node(key).decodeNil() }

    // This overload also implements the others of the protocol. A missing list is allowed; other types throw.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try node(key).value(type) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try node(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try node(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { node(XMLKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { node(key) }
}

struct XMLUnkeyedDecoding: UnkeyedDecodingContainer {
    let codingPath: [any CodingKey]
    private let elements: [XMLTree]
    private(set) var currentIndex = 0

    init(_ elements: [XMLTree], path: [any CodingKey]) {
        self.elements = elements
        codingPath = path
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private mutating func next<Value>(_ decode: (XMLDecodingNode) throws -> Value) throws -> Value {
        guard !isAtEnd else {
            let reason = "the list has only \(elements.count) elements"
            throw DecodingError.valueNotFound(Value.self, .init(codingPath: codingPath, debugDescription: reason))
        }
        let path = codingPath + [XMLKey(index: currentIndex)]
        let value = try decode(XMLDecodingNode(.element(elements[currentIndex], isInList: true), path: path))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        let isNil = try next { $0.decodeNil() }
        if !isNil { currentIndex -= 1 }
        return isNil
    }

    // This overload also implements the other overloads of the protocol.
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.value(type) } }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}

extension String {
    /// The name without its prefix; nil if there is none.
    fileprivate var localName: String? {
        utf8.firstIndex(of: UInt8(ascii: ":")).map { String(self[index(after: $0)...]) }
    }
}
