/// A JSON text as a value (RFC 8259 §3).
///
/// Values are compared by the data model: numbers by their exact value (`1.0 == 1`), strings by their code points
/// (without Unicode normalization, RFC 8259 §8.3), objects in any order of their members. Comparing, hashing, writing
/// and releasing recurse at each level; the parser's depth limit bounds the depth of parsed values.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number with all its digits.
    case number(JSONNumber)
    /// A string, with its escapes replaced.
    case string(String)
    /// An array, in its order.
    case array([JSONValue])
    /// An object, with its members in their order.
    case object(JSONObject)
}

extension JSONValue: Hashable {
    /// Compares by the data model.
    @inline(never)  // Inlined into itself, it would make programs 3 KB larger.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameUTF8(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes by the data model.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null:
            hasher.combine(0 as UInt8)
        case .bool(let bool):
            hasher.combine(1 as UInt8)
            hasher.combine(bool)
        case .number(let number):
            hasher.combine(2 as UInt8)
            hasher.combine(number)
        case .string(let string):
            hasher.combine(3 as UInt8)
            string.hashUTF8(into: &hasher)
        case .array(let array):
            hasher.combine(4 as UInt8)
            hasher.combine(array)
        case .object(let object):
            hasher.combine(5 as UInt8)
            hasher.combine(object)
        }
    }
}

extension JSONValue {
    /// Whether the value is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The boolean; nil if the value is of another kind.
    public var boolValue: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The string; nil if the value is of another kind.
    public var stringValue: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The number; nil if the value is of another kind.
    public var numberValue: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The number as an integer (`1.0` and `1e2` are); nil if the value is of another kind or does not fit.
    public var intValue: Int64? { numberValue?.int64 }

    /// The elements; nil if the value is of another kind.
    public var arrayValue: [JSONValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The members; nil if the value is of another kind.
    public var objectValue: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The member with this key; nil if there is none or the value is not an object.
    public subscript(key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The element at this index; nil if there is none or the value is not an array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let array) = self, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// The value at a path; nil if there is none.
    public subscript(path path: JSONPath) -> JSONValue? {
        var value = self
        for element in path.elements {
            let next =
                switch element {
                case .key(let key): value[key]
                case .index(let index): value[index]
                }
            guard let next else { return nil }
            value = next
        }
        return value
    }

    /// The kind of the value, to print after "expected": `an object`, `null`.
    public var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String { JSONWriter.write(self) }
}
