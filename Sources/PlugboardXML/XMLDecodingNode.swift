/// A part of a document that a type is decoding.
struct XMLDecodingNode: Decoder {
    enum Content {
        /// An element. In a list, its children can form a list too.
        case element(XMLTree, isInList: Bool)
        /// All elements with a name.
        case list([XMLTree])
        /// The text of an attribute, or of an element itself.
        case text(String)
    }

    let content: Content
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ content: Content, path: [any CodingKey]) {
        self.content = content
        codingPath = path
    }

    /// The element; nil for texts and empty lists.
    private var element: XMLTree? {
        switch content {
        case .element(let element, _): element
        case .list(let elements): elements.first
        case .text: nil
        }
    }

    private var text: String? {
        if case .text(let text) = content { text } else { element?.text }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let element else { throw mismatch(type, "an element is expected") }
        return KeyedDecodingContainer(XMLKeyedDecoding<Key>(element, path: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        switch content {
        case .list(let elements): return XMLUnkeyedDecoding(elements, path: codingPath)
        case .element(let element, isInList: true): return XMLUnkeyedDecoding(element.children, path: codingPath)
        case .element, .text: throw mismatch([Any].self, "a list is expected")
        }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        if case .list(let elements) = content, elements.isEmpty {
            return .valueNotFound(
                type, .init(codingPath: codingPath, debugDescription: "the element or attribute is missing"))
        }
        return .typeMismatch(type, .init(codingPath: codingPath, debugDescription: expected))
    }
}

extension XMLDecodingNode: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        if case .list(let elements) = content, elements.isEmpty { return true }
        return element?[attribute: XMLTree.nilAttribute] == "true"
    }

    // This overload also implements the other overloads of the protocol.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let scalar: Any? =
            switch type {
            case is String.Type: try string()
            case is Bool.Type: try bool()
            case is Double.Type: try number(Double.self)
            case is Float.Type: try number(Float.self)
            case let type as any (FixedWidthInteger & LosslessStringConvertible).Type: try number(type)
            default: nil
            }
        // A scalar that is nil could itself be cast to an optional.
        if let scalar, let value = scalar as? Value { return value }
        return try Value(from: self)
    }

    private func string() throws -> String {
        guard let text else { throw mismatch(String.self, "a text is expected") }
        return text
    }

    private func number<Number: LosslessStringConvertible>(_ type: Number.Type) throws -> Number {
        guard let number = Number(try string().withoutSpace) else {
            throw mismatch(type, "a number is expected that fits in \(type)")
        }
        return number
    }

    /// Reads a boolean (XML Schema Part 2 §3.2.2).
    private func bool() throws -> Bool {
        switch try string().withoutSpace {
        case "true", "1": return true
        case "false", "0": return false
        default: throw mismatch(Bool.self, "true or false is expected")
        }
    }
}

extension String {
    /// The text without white space at both ends.
    fileprivate var withoutSpace: String {
        let bytes = utf8.drop { $0 <= 0x20 }
        let count = bytes.reversed().drop { $0 <= 0x20 }.count
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
