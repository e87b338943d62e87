/// A type that a setting or an attribute can have: `Bool`, `Int`, `String`, `Duration`, `ByteCount`, `[String]`,
/// `[String: String]`, a set of error codes or methods, an enumeration of words (`WordOption`), or an optional of one
/// of these.
public protocol OptionValue: Sendable {
    /// How values of the type are read and written.
    static var optionForm: OptionForm<Self> { get }
}

/// An enumeration of words: `enum Level: String, WordOption { case one, two }`.
public protocol WordOption: OptionValue, RawRepresentable<String>, CaseIterable {}

extension WordOption {
    /// The words are the raw values of the cases.
    public static var optionForm: OptionForm<Self> {
        OptionForm(
            .text, choices: allCases.map(\.rawValue), magnitude: { _ in 0 }, read: { Self(rawValue: $0) },
            write: \.rawValue)
    }
}

extension Bool: OptionValue {
    /// `true` or `false`.
    public static var optionForm: OptionForm<Bool> {
        OptionForm(.bool, magnitude: { $0 ? 1 : 0 }, read: { Bool($0) }, write: \.description)
    }
}

extension Int: OptionValue {
    /// A whole number.
    public static var optionForm: OptionForm<Int> {
        OptionForm(.integer, magnitude: { Int64($0) }, read: { Int($0) }, write: \.description)
    }
}

extension String: OptionValue {
    /// Any text.
    public static var optionForm: OptionForm<String> {
        OptionForm(.text, magnitude: { Int64($0.utf8.count) }, read: { $0 }, write: { $0 })
    }
}

extension Duration: OptionValue {
    /// A time such as `30s`, as `DurationText` reads and writes it.
    public static var optionForm: OptionForm<Duration> {
        OptionForm(
            .duration, magnitude: \.nanoseconds, read: { DurationText($0)?.duration },
            write: { DurationText($0).description })
    }
}

extension ByteCount: OptionValue {
    /// A size such as `16MiB`.
    public static var optionForm: OptionForm<ByteCount> {
        OptionForm(
            .size, magnitude: { Int64($0.bytes) }, read: { ByteCount($0) },
            write: { $0.bytes == .max ? "\($0.bytes)B" : $0.description })
    }
}

extension [String]: OptionValue {
    /// A JSON array of strings.
    public static var optionForm: OptionForm<[String]> {
        OptionForm(.list, magnitude: { Int64($0.count) }, read: OptionText.list, write: OptionText.text)
    }
}

/// A value that is a name: an error code or a method. A setting or an attribute can be a set of such values.
public protocol NamedOption: Sendable, Hashable {
    /// The value with this name.
    init(_ name: String)
    /// The name.
    var name: String { get }
}

extension PlugboardError.Code: NamedOption {}
extension Method: NamedOption {}

extension Set: OptionValue where Element: NamedOption {
    /// A JSON array of names, such as `transport.dns`, in alphabetical order.
    public static var optionForm: OptionForm<Self> {
        OptionForm(
            .list, magnitude: { Int64($0.count) },
            read: { OptionText.list($0).map { Set($0.map { Element($0) }) } },
            write: { OptionText.text($0.map(\.name).sorted()) })
    }
}

extension [String: String]: OptionValue {
    /// A JSON object of strings.
    public static var optionForm: OptionForm<[String: String]> {
        OptionForm(.map, magnitude: { Int64($0.count) }, read: OptionText.map, write: OptionText.text)
    }
}

/// A value that may be left out; nil is written as an empty text.
extension Optional: OptionValue where Wrapped: OptionValue {
    /// The form of the wrapped type.
    public static var optionForm: OptionForm<Wrapped?> {
        let wrapped = Wrapped.optionForm
        return OptionForm(
            wrapped.kind, choices: { wrapped.choices }, magnitude: { $0.map { wrapped.magnitude(of: $0) } ?? 0 },
            read: { $0.isEmpty ? .some(nil) : wrapped.read($0).map { .some($0) } },
            write: { $0.map { wrapped.text(of: $0) } ?? "" }, json: { $0.flatMap { wrapped.json(of: $0) } })
    }
}
