@_exported import PlugboardAuthenticationOptions
import PlugboardKit

extension PluginEntry {
    /// The plugin `authentication`, linked into the program, with the default settings.
    public static var authentication: PluginEntry { .linked(Authentication.self) }

    /// The plugin `authentication`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func authentication(_ assign: (inout AuthenticationSettings) -> Void) -> PluginEntry {
        .linked(Authentication.self, assign)
    }
}
