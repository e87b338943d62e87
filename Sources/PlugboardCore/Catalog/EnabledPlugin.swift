import PlugboardBorder
import PlugboardJSON

/// A plugin that will run, and how.
public struct EnabledPlugin: Sendable {
    /// How a plugin's code came into the process.
    public enum Linkage: Sendable, Equatable {
        /// It is linked into the program, or given by it.
        case linked
        /// Loaded from the file at this path, as the configuration writes it.
        case loaded(String)
    }

    /// The plugin's descriptor.
    public let descriptor: PluginDescriptor
    /// The plugin's id.
    public let id: String
    /// Every setting of the plugin's table as text, secret ones too.
    let values: [String: String]
    /// 0 (outermost) to 999.
    public let priority: Int
    /// What happens to an exchange when the plugin has a fault.
    public let onFault: PluginEntry.OnFault
    /// Faults in a row after which `disable` switches it off.
    public let faultLimit: Int
    /// Whether it must not start work by itself.
    let isQuiet: Bool
    /// Whether it is linked, or loaded from a file.
    public let linkage: Linkage
    /// The reason for its position, for people: `default priority`, `configured priority`, `before X`, `after Y`.
    public let reason: String
    /// Its location in the configuration.
    let location: JSONPath
    /// Where it is enabled: the file, the line and the path of the configuration's entry, and the path of what the
    /// program's code gives, such as `program.plugins[0]`; the values of the entry take precedence.
    public let locations: [String]
    /// Why the kernel has switched it off (`onFault: disable`), with the code `plugin.disabled`; nil while it takes
    /// part, and before the kernel has started.
    public internal(set) var disabled: PlugboardError?
    /// Whether the program has switched it off for new exchanges (`Kernel.setEnabled`).
    public internal(set) var isSwitchedOff = false

    /// Every setting of the plugin's table as text, `<redacted>` for a secret one; those of which neither the
    /// configuration nor the table says anything are left out.
    public var settings: [String: String] {
        let secrets = Set(descriptor.settings.lazy.filter(\.isSecret).map(\.name))
        return Dictionary(uniqueKeysWithValues: values.map { ($0, secrets.contains($0) ? "<redacted>" : $1) })
    }
}

extension EnabledPlugin: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id, "settings": settings, "priority": priority, "linkage": linkage, "reason": reason,
                "onFault": onFault, "disabled": disabled as Any,
            ], displayStyle: .struct)
    }
}
