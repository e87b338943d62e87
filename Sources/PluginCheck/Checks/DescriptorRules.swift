import CPlugboard
import PlugboardKit

/// The rules of `plugboard.h` for a descriptor without its tables: those that the loader checks, and others.
enum DescriptorRules {
    static func faults(in raw: UnsafePointer<plug_plugin_v1>) -> [String] {
        let plugin = PluginDescriptor(unchecked: raw)
        var faults = plugin.faults
        if !isVersion(plugin.version) { faults.append("its version '\(plugin.version)' is not major.minor.patch") }
        if raw.pointee.reserved != 0 { faults.append("its field reserved is not 0") }
        if !plugin.events.isEmpty && !plugin.hooks.contains(.event) {
            faults.append("it lists events and not on_event")
        }
        let order = (plugin.before + plugin.after).map(PluginDescriptor.id(inOrder:))
        if order.contains(plugin.id) { faults.append("its before or after names itself") }
        for other in order where !PluginDescriptor.isWellFormed(id: other) {
            faults.append("before or after names '\(other)', which is not an id")
        }
        let needs = plugin.needs.map(PluginDescriptor.id(inOrder:))
        for service in plugin.provides + needs where !isService(service) {
            faults.append("its service '\(service)' is not an id, a slash and a number, such as com.example.tokens/1")
        }
        if let own = needs.first(where: plugin.provides.contains) {
            faults.append("it needs the service '\(own)', which it provides itself")
        }
        if plugin.documentation.contains(where: \.isNewline) { faults.append("its documentation is not one line") }
        return faults
    }

    /// Whether it is an id, a slash and the number of its revision.
    private static func isService(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && PluginDescriptor.isWellFormed(id: String(parts[0])) && !parts[0].isEmpty
            && parts[1].wholeMatch(of: /[1-9][0-9]*/) != nil
    }

    /// Whether a text is three numbers, optionally with a pre-release or a build (semver.org 2.0.0).
    static func isVersion(_ text: String) -> Bool {
        text.wholeMatch(
            of: /(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?/) != nil
    }
}
