import PlugboardKit
@_exported import PlugboardLimitOptions

extension PluginEntry {
    /// The plugin `limit`, linked into the program, with the default settings.
    public static var limit: PluginEntry { .linked(Limit.self) }

    /// The plugin `limit`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func limit(_ assign: (inout LimitSettings) -> Void) -> PluginEntry { .linked(Limit.self, assign) }
}
