import CPlugboard

/// One row of a plugin's table of settings or attributes, as the kernel reads it.
public struct OptionDescription: Sendable {
    /// The type of a value: `PLUG_TYPE_BOOL` … `PLUG_TYPE_MAP` of `plugboard.h`.
    public enum Kind: UInt32, Sendable { case bool = 1, integer, text, duration, size, list, map }

    /// The name, without the plugin's id.
    public let name: String
    /// Nil when the table holds a number that is not a type.
    public let kind: Kind?
    /// Whether values are never printed.
    public let isSecret: Bool
    /// Whether a configuration must give the setting.
    public let isRequired: Bool
    /// The default as a configuration would write it, or empty.
    public let fallback: String
    /// Bounds of a number, a duration (nanoseconds) or a size (bytes); of a text's bytes, of a list's or map's count.
    public let bounds: ClosedRange<Int64>?
    /// Whether the minimum is larger than the maximum, so that no value is valid.
    package let hasEmptyBounds: Bool
    /// The words that a text can be; empty: any.
    public let choices: [String]
    /// One line.
    public let documentation: String

    package init(_ option: plug_option_v1) {
        name = option.name.string
        kind = Kind(rawValue: option.type)
        isSecret = option.flags & PLUG_FLAG_SECRET != 0
        isRequired = option.flags & PLUG_FLAG_REQUIRED != 0
        fallback = option.fallback.string
        let (minimum, maximum) = (option.minimum, option.maximum)
        let isBounded = kind != .bool && (minimum, maximum) != (0, 0)
        hasEmptyBounds = isBounded && minimum > maximum
        bounds = isBounded && minimum <= maximum ? minimum...maximum : nil
        choices = option.choices.string.split(separator: " ").map { String($0) }
        documentation = option.documentation.string
    }

    /// Checks a value. The error is the end of a sentence that begins with the option's name; nil if the value is
    /// valid.
    public func error(in text: String) -> String? {
        switch kind {
        case .bool: check(Bool(optionText: text), "true or false")
        case .integer: check(Int(optionText: text), "a whole number")
        case .duration: check(Duration(optionText: text), "a time like \"30s\" (ms, s, m, h, d)")
        case .size: check(ByteCount(optionText: text), "a size like \"16MiB\" (B, KiB, MiB, GiB)")
        case .list: check([String](optionText: text), "a list of strings, such as \(listExample)")
        case .map: check([String: String](optionText: text), "an object of strings, such as {\"a\": \"b\"}")
        case .text:
            !choices.isEmpty && !choices.contains(text)
                ? "must be one of \(choices.joined(separator: ", "))" : check(text, "a text")
        case nil: "has no type that this kernel knows"
        }
    }

    private var listExample: String {
        [String](optionText: fallback)?.first.map { [$0].optionText } ?? "[\"a\"]"
    }

    private func check<Value: OptionValue>(_ value: Value?, _ wanted: String) -> String? {
        guard let value else { return "must be \(wanted)" }
        guard let bounds, !bounds.contains(value.optionMagnitude) else { return nil }
        return "must lie between \(show(bounds.lowerBound)) and \(show(bounds.upperBound))"
    }

    private func show(_ bound: Int64) -> String {
        switch kind {
        case .duration: Duration.nanoseconds(bound).configured
        case .size: ByteCount.bytes(Int(bound)).description
        default: "\(bound)"
        }
    }
}
