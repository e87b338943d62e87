import JSON
import PlugboardKit

/// A plugin that will run, and how.
public struct EnabledPlugin: Sendable {
    public enum Linkage: Sendable, Equatable {
        case linked
        /// From the file at this path, as the configuration says it.
        case loaded(String)
    }

    public let descriptor: PluginDescriptor
    public let id: String
    /// Every setting of the plugin's table as text, secret ones too.
    let values: [String: String]
    public let priority: Int
    public let onFault: PluginEntry.OnFault
    /// Faults in a row after which `disable` switches it off.
    public let faultLimit: Int
    public let linkage: Linkage
    /// Why it stands where it stands, for people: `default priority`, `configured priority`, `before X`, `after Y`.
    public let reason: String
    /// Where its entry stands in the configuration.
    let location: JSONPath
    /// Why the kernel has switched it off (`onFault: disable`), with the code `plugin.disabled`; nil while it takes part, and in every
    /// `Lineup`.
    public internal(set) var disabled: PlugboardError?

    /// Every setting of the plugin's table as text, `<redacted>` for a secret one; those of which neither the configuration nor the
    /// table says anything are left out.
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
