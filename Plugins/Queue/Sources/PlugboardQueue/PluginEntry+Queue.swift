import PlugboardKit
@_exported import PlugboardQueueOptions

extension PluginEntry {
    /// The plugin `queue`, linked into the program, with the default settings.
    public static var queue: PluginEntry { .linked(Queue.self) }

    /// The plugin `queue`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func queue(_ assign: (inout QueueSettings) -> Void) -> PluginEntry { .linked(Queue.self, assign) }
}
