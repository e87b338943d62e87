import CPlugboard
import JSON

/// A type that a setting or an attribute can have.
///
/// The text is as configurations write it (`180s`, `16MiB`, `true`); lists and maps are JSON.
public protocol OptionValue: Sendable {
    /// One of PLUG_TYPE_BOOL … PLUG_TYPE_MAP.
    static var optionType: UInt32 { get }
    /// The words that are allowed; empty: any.
    static var optionChoices: [String] { get }
    /// The number that bounds are compared with: of a text its bytes, of a list or map its count.
    var optionMagnitude: Int64 { get }
    /// Reads a value as configurations write it; nil if the text has not this type.
    init?(optionText: String)
    /// The value as configurations write it.
    var optionText: String { get }
    /// The value as JSON; nil for an optional without a value.
    var optionJSON: JSONValue? { get }
}

extension OptionValue {
    public static var optionChoices: [String] { [] }

    public var optionJSON: JSONValue? {
        switch Self.optionType {
        case PLUG_TYPE_BOOL, PLUG_TYPE_INTEGER, PLUG_TYPE_LIST, PLUG_TYPE_MAP: try? JSONParser.parse(optionText)
        default: .string(optionText)
        }
    }
}

extension Bool: OptionValue {
    public static var optionType: UInt32 { PLUG_TYPE_BOOL }
    public var optionMagnitude: Int64 { self ? 1 : 0 }
    public init?(optionText: String) { self.init(optionText) }
    public var optionText: String { description }
}

extension Int: OptionValue {
    public static var optionType: UInt32 { PLUG_TYPE_INTEGER }
    public var optionMagnitude: Int64 { Int64(self) }
    public init?(optionText: String) { self.init(optionText) }
    public var optionText: String { description }
}

extension String: OptionValue {
    public static var optionType: UInt32 { PLUG_TYPE_TEXT }
    public var optionMagnitude: Int64 { Int64(utf8.count) }
    public init?(optionText: String) { self = optionText }
    public var optionText: String { self }
}

extension Duration: OptionValue {
    public static var optionType: UInt32 { PLUG_TYPE_DURATION }
    public var optionMagnitude: Int64 { nanoseconds }
    public init?(optionText: String) { self.init(configured: optionText) }
    public var optionText: String { configured }
}

extension ByteCount: OptionValue {
    public static var optionType: UInt32 { PLUG_TYPE_SIZE }
    public var optionMagnitude: Int64 { Int64(bytes) }
    public init?(optionText: String) { self.init(optionText) }
    public var optionText: String { bytes == .max ? "\(bytes)B" : description }
}

extension [String]: OptionValue {
    public static var optionType: UInt32 { PLUG_TYPE_LIST }
    public var optionMagnitude: Int64 { Int64(count) }

    public init?(optionText: String) {
        guard let items = try? JSONParser.parse(optionText).arrayValue?.map({ $0.stringValue }),
            !items.contains(nil)
        else { return nil }
        self = items.compactMap { $0 }
    }

    public var optionText: String { JSONWriter.write(.array(map { .string($0) })) }
}

extension [String: String]: OptionValue {
    public static var optionType: UInt32 { PLUG_TYPE_MAP }
    public var optionMagnitude: Int64 { Int64(count) }

    public init?(optionText: String) {
        guard let members = try? JSONParser.parse(optionText).objectValue else { return nil }
        self.init()
        for (name, value) in members {
            guard let text = value.stringValue else { return nil }
            self[name] = text
        }
    }

    public var optionText: String {
        var object = JSONObject()
        for (name, value) in sorted(by: { $0.key < $1.key }) { object[name] = .string(value) }
        return JSONWriter.write(.object(object))
    }
}

/// An enumeration of words: `enum Level: String, WordOption { case one, two }`.
public protocol WordOption: OptionValue, RawRepresentable<String>, CaseIterable {}

extension WordOption {
    public static var optionType: UInt32 { PLUG_TYPE_TEXT }
    public static var optionChoices: [String] { allCases.map(\.rawValue) }
    public var optionMagnitude: Int64 { 0 }
    public init?(optionText: String) { self.init(rawValue: optionText) }
    public var optionText: String { rawValue }
}

/// A value that may be left out; nil is written as an empty text.
extension Optional: OptionValue where Wrapped: OptionValue {
    public static var optionType: UInt32 { Wrapped.optionType }
    public static var optionChoices: [String] { Wrapped.optionChoices }
    public var optionMagnitude: Int64 { self?.optionMagnitude ?? 0 }
    public init?(optionText: String) {
        if optionText.isEmpty {
            self = .none
        } else if let value = Wrapped(optionText: optionText) {
            self = .some(value)
        } else {
            return nil
        }
    }
    public var optionText: String { self?.optionText ?? "" }
    public var optionJSON: JSONValue? { self?.optionJSON }
}
