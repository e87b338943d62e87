import PlugboardKit
@_exported import PlugboardRetryOptions

extension PluginEntry {
    /// The plugin `retry`, linked into the program, with the default settings.
    public static var retry: PluginEntry { .linked(Retry.self) }

    /// The plugin `retry`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func retry(_ assign: (inout RetrySettings) -> Void) -> PluginEntry { .linked(Retry.self, assign) }
}
