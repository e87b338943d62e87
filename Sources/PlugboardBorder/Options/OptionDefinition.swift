import CPlugboard

/// A row of a plugin's table of settings or attributes. The kernel checks values against it and prints it.
public struct OptionDefinition: Sendable {
    /// The name, without the plugin's id.
    public let name: String
    /// The type; nil if the table holds an unknown number.
    public let kind: OptionKind?
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

    package init<Value: OptionValue>(
        _ name: String, _ documentation: String, of: Value.Type, fallback: String = "",
        bounds: ClosedRange<Int64>? = nil, isSecret: Bool = false, isRequired: Bool = false
    ) {
        self.name = name
        self.documentation = documentation
        kind = Value.optionForm.kind
        choices = Value.optionForm.choices
        self.fallback = fallback
        self.bounds = bounds
        hasEmptyBounds = false
        self.isSecret = isSecret
        self.isRequired = isRequired
    }

    /// A row of a plugin's descriptor.
    package init(_ option: plug_option_v1) {
        name = option.name.string
        kind = OptionKind(rawValue: option.type)
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

    /// The row in C, for a descriptor. The memory holds its texts.
    package func row(in memory: DescriptorMemory) -> plug_option_v1 {
        plug_option_v1(
            name: memory.text(name), type: kind?.rawValue ?? 0,
            flags: (isSecret ? PLUG_FLAG_SECRET : 0) | (isRequired ? PLUG_FLAG_REQUIRED : 0),
            fallback: memory.text(fallback),
            minimum: bounds?.lowerBound ?? 0, maximum: bounds?.upperBound ?? 0,
            choices: memory.text(choices.joined(separator: " ")), documentation: memory.text(documentation))
    }

    /// Checks a value. The error is the end of a sentence that begins with the option's name; nil if the value is
    /// valid.
    public func error(in text: String) -> String? {
        switch kind {
        case .bool: check(Bool.optionForm.read(text), "true or false")
        case .integer: check(Int.optionForm.read(text), "a whole number")
        case .duration: check(Duration.optionForm.read(text), "a time like \"30s\" (ms, s, m, h, d)")
        case .size: check(ByteCount.optionForm.read(text), "a size like \"16MiB\" (B, KiB, MiB, GiB)")
        case .list: check([String].optionForm.read(text), "a list of strings, such as \(listExample)")
        case .map: check([String: String].optionForm.read(text), "an object of strings, such as {\"a\": \"b\"}")
        case .text:
            !choices.isEmpty && !choices.contains(text)
                ? "must be one of \(choices.joined(separator: ", "))" : check(text, "a text")
        case nil: "has no type that this kernel knows"
        }
    }

    private var listExample: String {
        [String].optionForm.read(fallback)?.first.map { [String].optionForm.text(of: [$0]) } ?? "[\"a\"]"
    }

    private func check<Value: OptionValue>(_ value: Value?, _ wanted: String) -> String? {
        guard let value else { return "must be \(wanted)" }
        guard let bounds, !bounds.contains(Value.optionForm.magnitude(of: value)) else { return nil }
        return "must lie between \(show(bounds.lowerBound)) and \(show(bounds.upperBound))"
    }

    private func show(_ bound: Int64) -> String {
        switch kind {
        case .duration: DurationText(.nanoseconds(bound)).description
        case .size: ByteCount.bytes(Int(bound)).description
        default: "\(bound)"
        }
    }
}
