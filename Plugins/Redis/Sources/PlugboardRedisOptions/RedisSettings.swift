import PlugboardKit

/// The settings of the plugin `redis`, for configurations and for programs in code.
///
///     .redis { $0.url = "redis://cache.internal:6379/0" }
public struct RedisSettings: PluginSettings {
    /// The server: `redis://user:password@host:port/database`, or `unix:///path/of/socket?db=0`.
    @Setting(
        "The server: `redis://user:password@host:port/database`, or `unix:///path/of/socket?db=0`.", isSecret: true)
    public var url = "redis://localhost:6379/0"
    /// A file with the password, read at each connect.
    @Setting("A file with the password, read at each connect.")
    public var passwordFile: String? = nil
    /// The environment variable with the password.
    @Setting("The environment variable with the password.")
    public var passwordEnvironment: String? = nil
    /// What all keys begin with, so that several fleets can share a server.
    @Setting("What all keys begin with, so that several fleets can share a server.", count: 0...64)
    public var prefix = "plugboard:"
    /// The longest time that the server may be silent while it owes a reply; the connection is then given up.
    @Setting(
        "The longest time that the server may be silent while it owes a reply; the connection is then given up.",
        in: .milliseconds(10) ... .seconds(60))
    public var silence = Duration.seconds(1)

    /// All settings at their defaults.
    public init() {}
}
