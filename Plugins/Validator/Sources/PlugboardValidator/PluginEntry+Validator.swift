import PlugboardKit
@_exported import PlugboardValidatorOptions

extension PluginEntry {
    /// The plugin `validator`, linked into the program, with the default settings.
    public static var validator: PluginEntry { .linked(Validator.self) }

    /// The plugin `validator`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func validator(_ assign: (inout ValidatorSettings) -> Void) -> PluginEntry {
        .linked(Validator.self, assign)
    }
}
