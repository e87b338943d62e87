import CPlugboard
import PlugboardKit

/// The rules of `plugboard.h` for a descriptor without its tables.
enum DescriptorRules {
    static func faults(in plugin: plug_plugin_v1) -> [String] {
        let id = plugin.id.string
        var faults: [String] = []
        if !PluginDescriptor.isWellFormed(id: id) {
            faults.append("its id '\(id)' is not made of words of letters, digits, '-' and '_', joined by single dots")
        }
        if PluginDescriptor.isReserved(id: id) { faults.append("its id '\(id)' is reserved for the kernel") }
        if !isVersion(plugin.version.string) {
            faults.append("its version '\(plugin.version.string)' is not major.minor.patch")
        }
        if !(0...999).contains(plugin.priority) { faults.append("its priority \(plugin.priority) is not 0 to 999") }
        if plugin.reserved != 0 { faults.append("its field reserved is not 0") }
        if plugin.create == nil { faults.append("it has no create function") }
        faults += functions(plugin)
        let order = (texts(plugin.before, plugin.before_count) + texts(plugin.after, plugin.after_count))
            .map(PluginDescriptor.id(inOrder:))
        if order.contains(id) { faults.append("its before or after names itself") }
        for other in order where !PluginDescriptor.isWellFormed(id: other) {
            faults.append("before or after names '\(other)', which is not an id")
        }
        let (provides, needs) = (texts(plugin.provides, plugin.provide_count), texts(plugin.needs, plugin.need_count))
        for service in provides + needs.map(PluginDescriptor.id(inOrder:)) where !isService(service) {
            faults.append("its service '\(service)' is not an id, a slash and a number, such as com.example.tokens/1")
        }
        if let own = needs.map(PluginDescriptor.id(inOrder:)).first(where: provides.contains) {
            faults.append("it needs the service '\(own)', which it provides itself")
        }
        if !provides.isEmpty && plugin.service == nil { faults.append("it provides services and has no function") }
        if plugin.documentation.string.contains(where: \.isNewline) {
            faults.append("its documentation is not one line")
        }
        return faults
    }

    /// A hook is listed if and only if it has a function.
    private static func functions(_ plugin: plug_plugin_v1) -> [String] {
        let functions = [
            (PLUG_ON_REQUEST, "on_request", plugin.on_request != nil),
            (PLUG_ON_RESPONSE, "on_response", plugin.on_response != nil),
            (PLUG_ON_FAILURE, "on_failure", plugin.on_failure != nil),
            (PLUG_ON_CLOSE, "on_close", plugin.on_close != nil), (PLUG_ON_EVENT, "on_event", plugin.on_event != nil),
        ]
        var faults = functions.compactMap { bit, name, exists in
            plugin.hooks & bit != 0 && !exists ? "it lists \(name) and has no such function" : nil
        }
        if plugin.hooks & ~functions.reduce(0, { $0 | $1.0 }) != 0 { faults.append("it lists an unknown hook") }
        if plugin.command_count > 0 && plugin.command == nil { faults.append("it lists commands and has no function") }
        if plugin.event_count > 0 && plugin.hooks & PLUG_ON_EVENT == 0 {
            faults.append("it lists events and not on_event")
        }
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

    private static func texts(_ start: UnsafePointer<plug_text>?, _ count: UInt64) -> [String] {
        UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(clamping: count)).map(\.string)
    }
}
