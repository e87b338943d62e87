import PlugboardKit

/// What configurations, and programs in code, say to the plugin `authentication`.
///
///     .authentication { $0.margin = .seconds(60) }
public struct AuthenticationSettings: PluginSettings {
    @Setting("Longest time that a fetch of a secret may take.", in: .milliseconds(1) ... .seconds(600))
    public var timeout = Duration.seconds(30)
    @Setting("How long before its end a token is fetched anew.", in: .zero ... .seconds(86_400))
    public var margin = Duration.seconds(30)
    @Setting(
        "Shortest time until the next fetch, after one that failed or brought what is rejected too.",
        in: .zero ... .seconds(60))
    public var pause = Duration.seconds(5)
    @Setting("How often a file is looked at while its secret is used.", in: .zero ... .seconds(86_400))
    public var fileInterval = Duration.seconds(10)

    /// All settings at their defaults.
    public init() {}
}
