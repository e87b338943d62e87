import PlugboardKit

/// The attributes of the plugin `indicator`.
public struct IndicatorAttributes: AttributeTable {
    /// All keys.
    public static let keys = IndicatorAttributes()

    /// The message that is shown while the request is under way.
    public let message = AttributeKey<String>(
        "indicator", "message", "The message that is shown while the request is under way.")
    /// Whether the user has to wait for the request: other requests are not shown meanwhile.
    public let modal = AttributeKey<Bool>(
        "indicator", "modal", "Whether the user has to wait for the request: other requests are not shown meanwhile.")
    /// The name of the program's control that the request belongs to, such as a button.
    public let control = AttributeKey<String>(
        "indicator", "control", "The name of the program's control that the request belongs to, such as a button.")
}

extension Request {
    /// The attributes for the plugin `indicator`.
    public var indicator: RequestAttributes<IndicatorAttributes> {
        get { RequestAttributes<IndicatorAttributes>(self) }
        set { self = newValue.request }
    }
}
