import PlugboardKit

/// The attributes of the plugin `cookies`.
public struct CookiesAttributes: AttributeTable {
    /// All keys.
    public static let keys = CookiesAttributes()

    /// The jar whose cookies are sent, and that stores new ones.
    public let jar = AttributeKey<String>(
        "cookies", "jar", "The jar whose cookies are sent, and that stores new ones.")
    /// False sends no cookies.
    public let send = AttributeKey<Bool>("cookies", "send", "False sends no cookies.")
    /// True also sends cookies with a request that has a Cookie field of its own, before those of the field.
    public let always = AttributeKey<Bool>(
        "cookies", "always",
        "True also sends cookies with a request that has a Cookie field of its own, before those of the field.")
    /// False stores no cookies.
    public let store = AttributeKey<Bool>("cookies", "store", "False stores no cookies.")
}

extension Request {
    /// The attributes for the plugin `cookies`; nil leaves a value to the plugin's settings.
    public var cookies: RequestAttributes<CookiesAttributes> {
        get { RequestAttributes<CookiesAttributes>(self) }
        set { self = newValue.request }
    }
}
