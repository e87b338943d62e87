import PlugboardKit
@_exported import PlugboardTelemetryOptions

extension PluginEntry {
    /// The plugin `telemetry`, linked into the program, with the default settings.
    public static var telemetry: PluginEntry { .linked(Telemetry.self) }

    /// The plugin `telemetry`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func telemetry(_ assign: (inout TelemetrySettings) -> Void) -> PluginEntry {
        .linked(Telemetry.self, assign)
    }
}
