/// One step into a JSON value.
public enum JSONPathElement: Sendable, Hashable {
    /// The member of an object with this name.
    case key(String)
    /// The element of an array at this index, from 0.
    case index(Int)
}

extension JSONPathElement: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
    /// A key.
    public init(stringLiteral value: String) { self = .key(value) }
    /// An index.
    public init(integerLiteral value: Int) { self = .index(value) }
}

/// The path from the root of a JSON value to a part of it, printed as `plugins[2].settings.ttl`.
public struct JSONPath: Sendable, Hashable {
    /// The steps from the root on.
    public var elements: [JSONPathElement]

    /// Creates a path of these steps; without steps, the root.
    public init(_ elements: some Sequence<JSONPathElement> = []) { self.elements = Array(elements) }

    /// Whether the path has no steps.
    public var isRoot: Bool { elements.isEmpty }

    /// This path with one more step at its end.
    public func appending(_ element: JSONPathElement) -> JSONPath { JSONPath(elements + CollectionOfOne(element)) }

    /// The path as a JSON Pointer (RFC 6901); empty for the root.
    public var pointer: String {
        elements.reduce(into: "") { text, element in
            text += "/"
            switch element {
            case .index(let index): text += String(index)
            case .key(let key): text += JSONPointer.escaped(key)
            }
        }
    }
}

extension JSONPath: ExpressibleByArrayLiteral {
    /// A path of these steps.
    public init(arrayLiteral elements: JSONPathElement...) { self.elements = elements }
}

extension JSONPath: CustomStringConvertible {
    /// The path as people write it. Keys with characters other than ASCII letters, digits, `_` and `-` are quoted, and
    /// long keys are shortened: `origins["https://a.example"]`. The root is `(root)`.
    public var description: String {
        guard !isRoot else { return "(root)" }
        return elements.reduce(into: "") { text, element in
            switch element {
            case .index(let index): text += "[\(index)]"
            case .key(let key) where key.isPlainKey: text += text.isEmpty ? key : ".\(key)"
            case .key(let key): text += "[\(key.quotedForError)]"
            }
        }
    }
}

extension String {
    fileprivate var isPlainKey: Bool {
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isPlain && (1...40).contains(utf8.count)
    }
}
