/// A short description of a JSON value: `["userId": .number, "tags": [.string]]`.
///
/// An object must have each member that is not optional, and may have others. A shape is compiled to the same program
/// as a JSON Schema. In JSON, the kinds are words: `{"userId": "number", "nick?": "string", "tags": ["string"]}`; a `?`
/// at the end of a name makes the member optional, and one at the end of a word also allows null.
public indirect enum Shape: Sendable, Hashable {
    /// Any value.
    case any
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean
    /// A number without a fraction.
    case integer
    /// A number.
    case number
    /// A string.
    case string
    /// An array whose elements all have one shape.
    case array(of: Shape)
    /// An object with these members.
    case object([String: Shape])
    /// A member that may be absent; elsewhere, the shape itself.
    case optional(Shape)
    /// The shape, or null.
    case nullable(Shape)
    /// One of several shapes.
    case oneOf([Shape])

    /// Reads a shape from JSON.
    ///
    /// - Parameter path: The place in a larger document, for the error.
    /// - Throws: If a word is not a kind, or an array does not have exactly one element.
    public init(_ value: JSONValue, at path: JSONPath = JSONPath()) throws(ShapeError) {
        self = try Shape.read(value, path, depth: 0)
    }

    private static func read(_ value: JSONValue, _ path: JSONPath, depth: Int) throws(ShapeError) -> Shape {
        guard depth < 100 else { throw ShapeError(path: path, reason: "is nested deeper than 100") }
        switch value {
        case .string(let word): return try read(word, path)
        case .array(let elements):
            guard elements.count == 1 else {
                throw ShapeError(path: path, reason: "must have one element: the shape of its elements")
            }
            return .array(of: try read(elements[0], path.appending(.index(0)), depth: depth + 1))
        case .object(let object):
            var members: [String: Shape] = [:]
            for (name, value) in object {
                let shape = try read(value, path.appending(.key(name)), depth: depth + 1)
                let isOptional = name.utf8.last == UInt8(ascii: "?")
                // Compares bytes, because a mark after the question mark would form one character with it.
                let member = isOptional ? String(decoding: name.utf8.dropLast(), as: UTF8.self) : name
                guard members[member] == nil else {
                    throw ShapeError(
                        path: path.appending(.key(name)),
                        reason: "describes a member twice, or by two texts that differ only in how Unicode composes "
                            + "them; use a schema for the latter")
                }
                members[member] = isOptional ? .optional(shape) : shape
            }
            return .object(members)
        default:
            throw ShapeError(
                path: path, reason: "must be a kind, a list with one shape, or an object of shapes, not \(value.kind)")
        }
    }

    private static let words: [String: Shape] = [
        "any": .any, "null": .null, "boolean": .boolean, "bool": .boolean, "integer": .integer, "number": .number,
        "string": .string, "array": .array(of: .any), "object": .object([:]),
    ]

    private static func read(_ text: String, _ path: JSONPath) throws(ShapeError) -> Shape {
        let isNullable = text.utf8.last == UInt8(ascii: "?")
        let word = isNullable ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : text
        guard let shape = words[word] else {
            let near = Spelling.nearest(word, in: Array(words.keys)).map { "; did you mean \($0)?" } ?? ""
            throw ShapeError(
                path: path, reason: "must be one of \(words.keys.sorted().joined(separator: ", "))\(near)")
        }
        return isNullable ? .nullable(shape) : shape
    }

    /// The equivalent JSON Schema (2020-12).
    public var schema: JSONValue {
        switch self {
        case .any: return true
        case .null: return ["type": "null"]
        case .boolean: return ["type": "boolean"]
        case .integer: return ["type": "integer"]
        case .number: return ["type": "number"]
        case .string: return ["type": "string"]
        case .array(let shape): return ["type": "array", "items": shape.schema]
        case .optional(let shape): return shape.schema
        case .nullable(let shape): return ["anyOf": [["type": "null"], shape.schema]]
        case .oneOf(let shapes): return ["anyOf": .array(shapes.map(\.schema))]
        case .object(let members):
            var properties = JSONObject()
            var required: [JSONValue] = []
            for (name, shape) in members.sorted(by: { $0.key < $1.key }) {
                properties[name] = shape.schema
                if !shape.isOptional { required.append(.string(name)) }
            }
            return ["type": "object", "properties": .object(properties), "required": .array(required)]
        }
    }

    private var isOptional: Bool {
        if case .optional = self { true } else { false }
    }
}

extension Shape: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// An object of these members.
    public init(dictionaryLiteral elements: (String, Shape)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }

    /// An array of the shape; of several shapes, each element has one of them.
    public init(arrayLiteral elements: Shape...) {
        self = .array(of: elements.count == 1 ? elements[0] : elements.isEmpty ? .any : .oneOf(elements))
    }
}

/// A mistake in a shape.
public struct ShapeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place of the mistake.
    public let path: JSONPath
    /// The mistake, as a text after the place.
    public let reason: String

    /// `PLACE REASON.`
    public var description: String { "\(path.isRoot ? "A shape" : "\(path)") \(reason)." }
}
