import PlugboardKit

/// The attributes of the plugin `limit`.
public struct LimitAttributes: AttributeTable {
    /// All keys.
    public static let keys = LimitAttributes()

    /// What a rule with `by attribute limit.key` counts by, such as the name of a customer.
    public let key = AttributeKey<String>(
        "limit", "key", "What a rule with `by attribute limit.key` counts by, such as the name of a customer.")
    /// The longest time that the request waits for room; with 0s it fails at once.
    public let wait = AttributeKey<Duration>(
        "limit", "wait", "The longest time that the request waits for room; with 0s it fails at once.",
        in: .zero ... .seconds(86_400))
}

extension Request {
    /// The attributes for the plugin `limit`; nil leaves a value to the plugin's settings.
    public var limit: RequestAttributes<LimitAttributes> {
        get { RequestAttributes<LimitAttributes>(self) }
        set { self = newValue.request }
    }
}
