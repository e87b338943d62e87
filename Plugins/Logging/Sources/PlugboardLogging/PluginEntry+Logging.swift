import PlugboardKit
@_exported import PlugboardLoggingOptions

extension PluginEntry {
    /// The plugin `logging`, linked into the program, with the default settings.
    public static var logging: PluginEntry { .linked(Logging.self) }

    /// The plugin `logging`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func logging(_ assign: (inout LoggingSettings) -> Void) -> PluginEntry {
        .linked(Logging.self, assign)
    }
}
