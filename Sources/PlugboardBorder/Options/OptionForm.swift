import PlugboardJSON

/// The type of a setting or an attribute, as plugins list it and configurations write its values.
public enum OptionKind: UInt32, Sendable {
    /// `true` or `false`.
    case bool = 1
    /// A whole number.
    case integer
    /// Any text, or one of some words.
    case text
    /// A time such as `30s`.
    case duration
    /// A size such as `16MiB`.
    case size
    /// A list of strings.
    case list
    /// An object of strings.
    case map
}

/// How the values of one type are read and written: as configurations write them (`180s`, `16MiB`, `true`); lists and
/// maps are JSON.
///
///     Duration.optionForm.read("180s")
///     [String].optionForm.text(of: ["a", "b"])
public struct OptionForm<Value: Sendable>: Sendable {
    /// The type in a plugin's tables.
    public let kind: OptionKind
    private let words: @Sendable () -> [String]
    private let magnitude: @Sendable (Value) -> Int64
    private let reading: @Sendable (String) -> Value?
    private let writing: @Sendable (Value) -> String
    private let converting: (@Sendable (Value) -> JSONValue?)?

    /// - Parameters:
    ///   - kind: The type in a plugin's tables.
    ///   - choices: The words that are allowed; empty: any.
    ///   - magnitude: The number that bounds are compared with.
    ///   - read: Reads a text; nil if it has another form.
    ///   - write: The value as text.
    public init(
        _ kind: OptionKind, choices: @autoclosure @escaping @Sendable () -> [String] = [],
        magnitude: @escaping @Sendable (Value) -> Int64,
        read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
    ) {
        self.init(kind, choices: choices, magnitude: magnitude, read: read, write: write, json: nil)
    }

    init(
        _ kind: OptionKind, choices: @escaping @Sendable () -> [String],
        magnitude: @escaping @Sendable (Value) -> Int64,
        read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String,
        json: (@Sendable (Value) -> JSONValue?)?
    ) {
        self.kind = kind
        words = choices
        self.magnitude = magnitude
        reading = read
        writing = write
        converting = json
    }

    /// The words that are allowed; empty: any.
    public var choices: [String] { words() }

    /// Reads a value as configurations write it; nil if the text has another form.
    public func read(_ text: String) -> Value? { reading(text) }

    /// The value as configurations write it.
    public func text(of value: Value) -> String { writing(value) }

    /// The number that bounds are compared with: of a duration its nanoseconds, of a text its bytes, of a list or map
    /// its count.
    public func magnitude(of value: Value) -> Int64 { magnitude(value) }

    package func magnitudes(of bounds: ClosedRange<Value>) -> ClosedRange<Int64> where Value: Comparable {
        magnitude(bounds.lowerBound)...magnitude(bounds.upperBound)
    }

    /// The value as JSON; nil for an optional without a value.
    package func json(of value: Value) -> JSONValue? {
        if let converting { return converting(value) }
        switch kind {
        case .bool, .integer, .list, .map: return try? JSONParser.parse(text(of: value))
        case .text, .duration, .size: return .string(text(of: value))
        }
    }
}

/// Lists and maps as text.
enum OptionText {
    @Sendable static func list(_ text: String) -> [String]? {
        guard let items = try? JSONParser.parse(text).arrayValue?.map({ $0.stringValue }), !items.contains(nil) else {
            return nil
        }
        return items.compactMap { $0 }
    }

    @Sendable static func text(_ list: [String]) -> String { JSONWriter.write(.array(list.map { .string($0) })) }

    @Sendable static func map(_ text: String) -> [String: String]? {
        guard let members = try? JSONParser.parse(text).objectValue else { return nil }
        var map: [String: String] = [:]
        for (name, value) in members {
            guard let text = value.stringValue else { return nil }
            map[name] = text
        }
        return map
    }

    @Sendable static func text(_ map: [String: String]) -> String {
        var object = JSONObject()
        for (name, value) in map.sorted(by: { $0.key < $1.key }) { object[name] = .string(value) }
        return JSONWriter.write(.object(object))
    }
}
