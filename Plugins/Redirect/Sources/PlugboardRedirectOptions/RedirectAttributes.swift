import PlugboardKit

/// The attributes of the plugin `redirect`.
public struct RedirectAttributes: AttributeTable {
    /// All keys.
    public static let keys = RedirectAttributes()

    /// False lets a redirecting response pass unchanged.
    public let follow = AttributeKey<Bool>("redirect", "follow", "False lets a redirecting response pass unchanged.")
    /// The most redirects that are followed; one more fails the exchange.
    public let limit = AttributeKey<Int>(
        "redirect", "limit", "The most redirects that are followed; one more fails the exchange.", in: 0...1000)
    /// True repeats a POST after 301 and 302 unchanged, instead of as a GET.
    public let keepMethod = AttributeKey<Bool>(
        "redirect", "keepMethod", "True repeats a POST after 301 and 302 unchanged, instead of as a GET.")
    /// True follows redirects from https to http.
    public let allowDowngrade = AttributeKey<Bool>(
        "redirect", "allowDowngrade", "True follows redirects from https to http.")
}

extension Request {
    /// The attributes for the plugin `redirect`; nil leaves a value to the plugin's settings.
    public var redirect: RequestAttributes<RedirectAttributes> {
        get { RequestAttributes<RedirectAttributes>(self) }
        set { self = newValue.request }
    }
}
