@_exported import PlugboardCookiesOptions
import PlugboardKit

extension PluginEntry {
    /// The plugin `cookies`, linked into the program, with the default settings.
    public static var cookies: PluginEntry { .linked(Cookies.self) }

    /// The plugin `cookies`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func cookies(_ assign: (inout CookiesSettings) -> Void) -> PluginEntry {
        .linked(Cookies.self, assign)
    }
}
