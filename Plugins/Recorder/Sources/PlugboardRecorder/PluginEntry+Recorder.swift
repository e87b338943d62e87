import PlugboardKit
@_exported import PlugboardRecorderOptions

extension PluginEntry {
    /// The plugin `recorder`, linked into the program, with the default settings.
    public static var recorder: PluginEntry { .linked(Recorder.self) }

    /// The plugin `recorder`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func recorder(_ assign: (inout RecorderSettings) -> Void) -> PluginEntry {
        .linked(Recorder.self, assign)
    }
}
