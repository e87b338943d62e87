import PlugboardKit

/// The attributes of the plugin `logging`.
public struct LoggingAttributes: AttributeTable {
    /// All keys.
    public static let keys = LoggingAttributes()

    /// A word before the request's lines.
    public let label = AttributeKey<String>("logging", "label", "A word before the request's lines.")
    /// The level of the request's lines.
    public let level = AttributeKey<LoggingSettings.Level>("logging", "level", "The level of the request's lines.")
}

extension Request {
    /// The attributes for the plugin `logging`.
    public var logging: RequestAttributes<LoggingAttributes> {
        get { RequestAttributes<LoggingAttributes>(self) }
        set { self = newValue.request }
    }
}
