@_exported import PlugboardCacheOptions
import PlugboardKit

extension PluginEntry {
    /// The plugin `cache`, linked into the program, with the default settings.
    public static var cache: PluginEntry { .linked(Cache.self) }

    /// The plugin `cache`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func cache(_ assign: (inout CacheSettings) -> Void) -> PluginEntry { .linked(Cache.self, assign) }
}
