import PlugboardKit

/// The attributes of the plugin `validator`.
public struct ValidatorAttributes: AttributeTable {
    /// All keys.
    public static let keys = ValidatorAttributes()

    /// The schema of the response, as JSON; it replaces those of the settings.
    public let schema = AttributeKey<String>(
        "validator", "schema", "The schema of the response, as JSON; it replaces those of the settings.")
    /// The shape of the response, as JSON; it replaces the schemas of the settings.
    public let shape = AttributeKey<String>(
        "validator", "shape", "The shape of the response, as JSON; it replaces the schemas of the settings.")
    /// What happens to a body that is not valid: strict, warn or off.
    public let mode = AttributeKey<ValidatorMode>(
        "validator", "mode", "What happens to a body that is not valid: strict, warn or off.")
    /// The draft of a schema without $schema.
    public let draft = AttributeKey<ValidatorDraft>("validator", "draft", "The draft of a schema without $schema.")
    /// Whether format is checked.
    public let formats = AttributeKey<Bool>("validator", "formats", "Whether format is checked.")
    /// Whether the program reads the response while it is checked.
    public let streams = AttributeKey<Bool>(
        "validator", "streams", "Whether the program reads the response while it is checked.")
    /// The largest body that is checked.
    public let limit = AttributeKey<ByteCount>("validator", "limit", "The largest body that is checked.")
}

extension Request {
    /// The attributes for the plugin `validator`; nil leaves a value to the plugin's settings.
    public var validator: RequestAttributes<ValidatorAttributes> {
        get { RequestAttributes<ValidatorAttributes>(self) }
        set { self = newValue.request }
    }
}
