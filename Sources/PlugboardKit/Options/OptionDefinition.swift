import CPlugboard

/// A row of a plugin's table of settings or attributes. The kernel checks values against it and prints it.
public struct OptionDefinition: Sendable {
    /// The name, without the plugin's id.
    public let name: String
    /// One line.
    public let documentation: String
    let type: UInt32
    let fallback: String
    let bounds: ClosedRange<Int64>?
    let choices: [String]
    let flags: UInt32

    init<Value: OptionValue>(
        _ name: String, _ documentation: String, of: Value.Type, fallback: String = "",
        bounds: ClosedRange<Int64>? = nil, isSecret: Bool = false, isRequired: Bool = false
    ) {
        self.name = name
        self.documentation = documentation
        type = Value.optionType
        choices = Value.optionChoices
        self.fallback = fallback
        self.bounds = bounds
        flags = (isSecret ? PLUG_SECRET : 0) | (isRequired ? PLUG_REQUIRED : 0)
    }

    /// The same in C, for the descriptor; its texts stay as long as the process lives.
    var immortal: plug_option_v1 {
        plug_option_v1(
            name: plug_text(immortal: name), type: type, flags: flags, fallback: plug_text(immortal: fallback),
            minimum: bounds?.lowerBound ?? 1, maximum: bounds?.upperBound ?? 0,
            choices: plug_text(immortal: choices.joined(separator: " ")),
            documentation: plug_text(immortal: documentation))
    }
}
