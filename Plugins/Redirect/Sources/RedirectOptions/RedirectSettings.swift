import PlugboardKit

/// What configurations, and programs in code, say to the plugin `redirect`.
///
///     .redirect { $0.limit = 5 }
public struct RedirectSettings: PluginSettings {
    @Setting("Redirects that are followed; one more fails the exchange.", in: 0...1000)
    public var limit = 20
    @Setting("Repeats a POST after 301 and 302 as it was, instead of as a GET.")
    public var keepMethod = false
    @Setting("Follows from https to http.")
    public var allowDowngrade = false

    /// All settings at their defaults.
    public init() {}
}
