import PlugboardKit

/// The attributes of the plugin `resume`.
public struct ResumeAttributes: AttributeTable {
    /// All keys.
    public static let keys = ResumeAttributes()

    /// How many requests for the rest may fail in a row without a new byte; 0 mends no body.
    public let attempts = AttributeKey<Int>(
        "resume", "attempts",
        "How many requests for the rest may fail in a row without a new byte; 0 mends no body.", in: 0...1000)
    /// The most bytes that are received once more and dropped, where a server sends the whole instead of the rest.
    public let repeatLimit = AttributeKey<ByteCount>(
        "resume", "repeatLimit",
        "The most bytes that are received once more and dropped, where a server sends the whole instead of the rest.")
}

extension Request {
    /// The attributes for the plugin `resume`; nil leaves a value to the plugin's settings.
    public var resume: RequestAttributes<ResumeAttributes> {
        get { RequestAttributes<ResumeAttributes>(self) }
        set { self = newValue.request }
    }
}
