/// One step into a JSON value.
public enum JSONPathElement: Sendable, Hashable {
    case key(String)
    case index(Int)
}

extension JSONPathElement: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
    public init(stringLiteral value: String) { self = .key(value) }
    public init(integerLiteral value: Int) { self = .index(value) }
}

/// The way from the root of a JSON value to a part of it; prints as `plugins[2].settings.ttl`.
public struct JSONPath: Sendable, Hashable {
    public var elements: [JSONPathElement]

    public init(_ elements: some Sequence<JSONPathElement> = []) { self.elements = Array(elements) }

    public var isRoot: Bool { elements.isEmpty }

    public func appending(_ element: JSONPathElement) -> JSONPath { JSONPath(elements + CollectionOfOne(element)) }

    /// The path as a JSON Pointer (RFC 6901), the root being the empty text.
    public var pointer: String {
        elements.reduce(into: "") { text, element in
            text += "/"
            switch element {
            case .index(let index):
                text += String(index)
            case .key(let key):
                for scalar in key.unicodeScalars {
                    switch scalar {
                    case "~": text += "~0"
                    case "/": text += "~1"
                    default: text.unicodeScalars.append(scalar)
                    }
                }
            }
        }
    }
}

extension JSONPath: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: JSONPathElement...) { self.elements = elements }
}

extension JSONPath: CustomStringConvertible {
    /// Keys other than ASCII letters, digits, `_` and `-` are quoted, long ones cut: `origins["https://a.example"]`.
    /// The root is `(root)`.
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
