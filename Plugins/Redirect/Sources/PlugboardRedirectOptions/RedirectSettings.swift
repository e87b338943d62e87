import PlugboardKit

/// The settings of the plugin `redirect`, for configurations and for programs in code.
///
///     .redirect { $0.limit = 5 }
public struct RedirectSettings: PluginSettings {
    /// The most redirects that are followed; one more fails the exchange.
    @Setting("The most redirects that are followed; one more fails the exchange.", in: 0...1000)
    public var limit = 20
    /// Repeats a POST after 301 and 302 unchanged, instead of as a GET.
    @Setting("Repeats a POST after 301 and 302 unchanged, instead of as a GET.")
    public var keepMethod = false
    /// Follows redirects from https to http.
    @Setting("Follows redirects from https to http.")
    public var allowDowngrade = false

    /// All settings at their defaults.
    public init() {}
}
