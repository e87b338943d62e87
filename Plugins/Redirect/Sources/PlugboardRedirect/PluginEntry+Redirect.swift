import PlugboardKit
@_exported import PlugboardRedirectOptions

extension PluginEntry {
    /// The plugin `redirect`, linked into the program, with the default settings.
    public static var redirect: PluginEntry { .linked(Redirect.self) }

    /// The plugin `redirect`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func redirect(_ assign: (inout RedirectSettings) -> Void) -> PluginEntry {
        .linked(Redirect.self, assign)
    }
}
