@_exported import PlugboardIndicatorOptions
import PlugboardKit

extension PluginEntry {
    /// The plugin `indicator`, linked into the program, with the default settings.
    public static var indicator: PluginEntry { .linked(Indicator.self) }

    /// The plugin `indicator`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func indicator(_ assign: (inout IndicatorSettings) -> Void) -> PluginEntry {
        .linked(Indicator.self, assign)
    }
}
