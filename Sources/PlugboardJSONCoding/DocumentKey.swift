import PlugboardJSON

/// A step into a document: the key of a member as the document writes it, or the index of an element.
struct DocumentKey: CodingKey {
    let element: JSONPathElement

    init(_ element: JSONPathElement) { self.element = element }
    init?(intValue: Int) { self.init(.index(intValue)) }
    init?(stringValue: String) { self.init(.key(stringValue)) }

    /// The key of `superDecoder()` and `superEncoder()`.
    static let `super` = DocumentKey(.key("super"))

    var intValue: Int? {
        if case .index(let index) = element { index } else { nil }
    }

    var stringValue: String {
        switch element {
        case .key(let key): key
        case .index(let index): String(index)
        }
    }
}

extension JSONPath {
    init(codingPath: [any CodingKey]) {
        // The integer keys of a dictionary are keys in JSON; only this type has indexes.
        self.init(codingPath.map { ($0 as? DocumentKey)?.element ?? .key($0.stringValue) })
    }
}
