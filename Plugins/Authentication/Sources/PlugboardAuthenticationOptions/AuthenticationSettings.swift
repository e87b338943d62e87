import PlugboardKit

/// The settings of the plugin `authentication`, for configurations and for programs in code.
///
///     .authentication { $0.margin = .seconds(60) }
public struct AuthenticationSettings: PluginSettings {
    /// The longest time that fetching a secret may take.
    @Setting("The longest time that fetching a secret may take.", in: .milliseconds(1) ... .seconds(600))
    public var timeout = Duration.seconds(30)
    /// How long before its end a token is fetched again.
    @Setting("How long before its end a token is fetched again.", in: .zero ... .seconds(86_400))
    public var margin = Duration.seconds(30)
    /// The shortest time until the next fetch, after a fetch that failed or whose secret was rejected.
    @Setting(
        "The shortest time until the next fetch, after a fetch that failed or whose secret was rejected.",
        in: .zero ... .seconds(60))
    public var pause = Duration.seconds(5)
    /// How often a file is checked for changes while its secret is used.
    @Setting("How often a file is checked for changes while its secret is used.", in: .zero ... .seconds(86_400))
    public var fileInterval = Duration.seconds(10)
    /// A file with the key of the fleet: processes with an equal one share the tokens of token endpoints.
    @Setting("A file with the key of the fleet: processes with an equal one share the tokens of token endpoints.")
    public var fleetKeyFile: String? = nil
    /// The environment variable with the key of the fleet.
    @Setting("The environment variable with the key of the fleet.")
    public var fleetKeyEnvironment: String? = nil

    /// All settings at their defaults.
    public init() {}
}
