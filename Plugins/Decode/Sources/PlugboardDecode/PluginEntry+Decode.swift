@_exported import PlugboardDecodeOptions
import PlugboardKit

extension PluginEntry {
    /// The plugin `decode`, linked into the program, with the default settings.
    public static var decode: PluginEntry { .linked(Decode.self) }

    /// The plugin `decode`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func decode(_ assign: (inout DecodeSettings) -> Void) -> PluginEntry { .linked(Decode.self, assign) }
}
