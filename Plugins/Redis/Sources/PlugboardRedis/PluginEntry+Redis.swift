import PlugboardKit
@_exported import PlugboardRedisOptions

extension PluginEntry {
    /// The plugin `redis`, linked into the program, with the default settings.
    public static var redis: PluginEntry { .linked(Redis.self) }

    /// The plugin `redis`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func redis(_ assign: (inout RedisSettings) -> Void) -> PluginEntry { .linked(Redis.self, assign) }
}
