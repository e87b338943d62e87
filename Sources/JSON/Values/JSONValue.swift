/// A JSON text as a value (RFC 8259 §3).
///
/// Equality is that of the data model: numbers by their exact value (`1.0 == 1`), strings by their code points (no
/// Unicode normalization, RFC 8259 §8.3), objects whatever the order of their members. Hashing agrees with it.
/// Comparing, hashing, writing and releasing recurse once a level; the parser's depth limit bounds what comes from
/// outside.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue: Hashable {
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
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    public var boolValue: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    public var stringValue: String? {
        if case .string(let string) = self { string } else { nil }
    }

    public var numberValue: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The number, if it is an integer (`1.0` and `1e2` are) and fits.
    public var intValue: Int64? { numberValue?.int64 }

    public var arrayValue: [JSONValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    public var objectValue: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The member of that name; nil if there is none or the value is no object.
    public subscript(key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The element at that index; nil if there is none or the value is no array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let array) = self, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// What stands at the end of the path; nil if the path leads nowhere.
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

    /// The kind of value in words that fit after "expected": `an object`, `null`.
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
