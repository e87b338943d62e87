import PlugboardKit
@_exported import PlugboardMockOptions

extension PluginEntry {
    /// The plugin `mock`, linked into the program, with the default settings.
    public static var mock: PluginEntry { .linked(Mock.self) }

    /// The plugin `mock`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func mock(_ assign: (inout MockSettings) -> Void) -> PluginEntry { .linked(Mock.self, assign) }
}
