import PlugboardKit
@_exported import PlugboardResumeOptions

extension PluginEntry {
    /// The plugin `resume`, linked into the program, with the default settings.
    public static var resume: PluginEntry { .linked(Resume.self) }

    /// The plugin `resume`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func resume(_ assign: (inout ResumeSettings) -> Void) -> PluginEntry { .linked(Resume.self, assign) }
}
