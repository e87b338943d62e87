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
        flags = (isSecret ? PLUG_FLAG_SECRET : 0) | (isRequired ? PLUG_FLAG_REQUIRED : 0)
    }

    /// The same in C, for a descriptor; the memory holds its texts.
    package func row(in memory: DescriptorMemory) -> plug_option_v1 {
        plug_option_v1(
            name: memory.text(name), type: type, flags: flags, fallback: memory.text(fallback),
            minimum: bounds?.lowerBound ?? 0, maximum: bounds?.upperBound ?? 0,
            choices: memory.text(choices.joined(separator: " ")), documentation: memory.text(documentation))
    }
}
