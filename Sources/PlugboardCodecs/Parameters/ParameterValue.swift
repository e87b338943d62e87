import PlugboardJSON

/// A value that can be a parameter: texts, numbers, booleans, and optionals, arrays and dictionaries of them.
///
/// A type of the program, such as an identifier, conforms with one line:
///
///     extension TopicID: ParameterValue { public var parameterValue: JSONValue? { .string(text) } }
public protocol ParameterValue {
    /// The value as JSON. Nil if it has no JSON form, such as infinity; requests with it are refused.
    var parameterValue: JSONValue? { get }
}

extension JSONValue: ParameterValue {
    /// Itself.
    public var parameterValue: JSONValue? { self }
}

extension JSONObject: ParameterValue {
    /// The object.
    public var parameterValue: JSONValue? { .object(self) }
}

extension JSONNumber: ParameterValue {
    /// The number.
    public var parameterValue: JSONValue? { .number(self) }
}

extension String: ParameterValue {
    /// The string.
    public var parameterValue: JSONValue? { .string(self) }
}

extension Substring: ParameterValue {
    /// The string.
    public var parameterValue: JSONValue? { .string(String(self)) }
}

extension Bool: ParameterValue {
    /// The boolean.
    public var parameterValue: JSONValue? { .bool(self) }
}

extension ParameterValue where Self: BinaryInteger {
    /// The number.
    public var parameterValue: JSONValue? { .number(JSONNumber(self)) }
}

extension Int: ParameterValue {}
extension Int8: ParameterValue {}
extension Int16: ParameterValue {}
extension Int32: ParameterValue {}
extension Int64: ParameterValue {}
extension UInt: ParameterValue {}
extension UInt8: ParameterValue {}
extension UInt16: ParameterValue {}
extension UInt32: ParameterValue {}
extension UInt64: ParameterValue {}

extension Double: ParameterValue {
    /// The number; nil for infinity and NaN.
    public var parameterValue: JSONValue? { JSONNumber(self).map { .number($0) } }
}

extension Float: ParameterValue {
    /// The shortest number that is read as this float; nil for infinity and NaN.
    public var parameterValue: JSONValue? {
        isFinite ? JSONNumber(text: description).map { .number($0) } : nil
    }
}

extension Optional: ParameterValue where Wrapped: ParameterValue {
    /// The value, or `null`.
    public var parameterValue: JSONValue? { map(\.parameterValue) ?? .null }
}

extension Array: ParameterValue where Element: ParameterValue {
    /// The array; nil if an element has no value.
    public var parameterValue: JSONValue? {
        var values: [JSONValue] = []
        values.reserveCapacity(count)
        for element in self {
            guard let value = element.parameterValue else { return nil }
            values.append(value)
        }
        return .array(values)
    }
}

extension Dictionary: ParameterValue where Key == String, Value: ParameterValue {
    /// The object with sorted keys, because a dictionary has no order; nil if a member has no value.
    public var parameterValue: JSONValue? {
        var object = JSONObject()
        for (key, value) in sorted(by: { $0.key < $1.key }) {
            guard let value = value.parameterValue else { return nil }
            object[key] = value
        }
        return .object(object)
    }
}

extension ParameterValue where Self: RawRepresentable, RawValue: ParameterValue {
    /// The raw value, so that an enumeration of texts or numbers needs only the conformance.
    public var parameterValue: JSONValue? { rawValue.parameterValue }
}
