import PlugboardKit

/// The attributes of the plugin `decode`.
public struct DecodeAttributes: AttributeTable {
    /// All keys.
    public static let keys = DecodeAttributes()

    /// True also decodes responses to requests with an Accept-Encoding of their own.
    public let always = AttributeKey<Bool>(
        "decode", "always", "True also decodes responses to requests with an Accept-Encoding of their own.")
    /// The most bytes that the body may decode to; a larger body breaks.
    ///
    /// It breaks with the code `body.decode`.
    public let limit = AttributeKey<ByteCount>(
        "decode", "limit", "The most bytes that the body may decode to; a larger body breaks.")
}

extension Request {
    /// The attributes for the plugin `decode`; nil leaves a value to the plugin's settings.
    public var decode: RequestAttributes<DecodeAttributes> {
        get { RequestAttributes<DecodeAttributes>(self) }
        set { self = newValue.request }
    }
}
