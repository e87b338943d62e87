import CPlugboard
import PlugboardJSON
import PlugboardKit
import Synchronization

/// A plugin whose hooks are closures; it lists the hooks for which closures are set.
///
///     let seen = Record()
///     let plugin = ScriptedPlugin("a", priority: 100)
///     plugin.onRequest = { exchange in seen.add("request"); return .next }
///     let kernel = try Kernel(configuration: …, catalog: Catalog([plugin.descriptor]))
///
/// Sendable because the closures are set before the kernel is made.
package final class ScriptedPlugin: PluginInstance, @unchecked Sendable {
    package static let manifest = Manifest(id: "scripted", version: "1.0.0", priority: 500, hooks: [])

    package let id: String
    package let priority: Int
    package var before: [String] = []
    package var attributes: [OptionDefinition] = []
    package var commands: [CommandDefinition] = []
    package var events: [String] = []
    package var provides: [String] = []
    package var needs: [String] = []
    package var onRequest: (@Sendable (borrowing Exchange) throws -> RequestVerdict)?
    package var onResponse: (@Sendable (borrowing Exchange) throws -> ResponseVerdict)?
    package var onFailure: (@Sendable (borrowing Exchange) throws -> FailureVerdict)?
    package var onClose: (@Sendable (borrowing Exchange, TurnOutcome) -> Void)?
    package var onEvent: (@Sendable (borrowing Event, borrowing Exchange?) -> Void)?
    /// Called while the kernel creates the plugin.
    package var onCreate: (@Sendable (PluginHost) throws -> Void)?
    /// Called for the section of each origin with attributes of the plugin.
    package var onCheck: (@Sendable (Attributes) throws -> Void)?
    package var onStart: (@Sendable () throws -> Void)?
    package var onService: (@Sendable (String) -> UnsafeRawPointer?)?
    package var onStop: (@Sendable () async -> Void)?
    package var onCommand: (@Sendable (String, JSONValue, Reply) -> Void)?
    /// The host, set when the kernel creates the plugin.
    package private(set) var host: PluginHost?

    package init(_ id: String, priority: Int = 500) {
        self.id = id
        self.priority = priority
    }

    /// The descriptor for the catalog. Use it once, after all closures are set.
    package var descriptor: UnsafePointer<plug_plugin_v1> {
        var hooks: Hooks = []
        if onRequest != nil { hooks.insert(.request) }
        if onResponse != nil { hooks.insert(.response) }
        if onFailure != nil { hooks.insert(.failure) }
        if onClose != nil { hooks.insert(.close) }
        if onEvent != nil { hooks.insert(.event) }
        let manifest = Manifest(
            id: id, version: "1.0.0", priority: priority, hooks: hooks, before: before, events: events,
            provides: provides, needs: needs, attributes: attributes, commands: commands)
        let descriptor = LinkedDescriptor(manifest) { (_: NoSettings, host: PluginHost) in
            self.host = host
            try self.onCreate?(host)
            return self
        }
        ScriptedPlugin.kept.withLock { $0.append(descriptor) }
        return descriptor.raw
    }

    /// The descriptors, because a catalog does not keep them alive.
    private static let kept = Mutex<[LinkedDescriptor]>([])

    package func check(_ attributes: Attributes) throws { try onCheck?(attributes) }
    package func start() throws { try onStart?() }
    package func service(_ id: String) -> UnsafeRawPointer? { onService?(id) }
    package func stop(within: Duration) async { await onStop?() }
    package func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        try onRequest?(exchange) ?? .next
    }
    package func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        try onResponse?(exchange) ?? .next
    }
    package func onFailure(_ exchange: borrowing Exchange) throws -> FailureVerdict {
        try onFailure?(exchange) ?? .next
    }
    package func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) { onClose?(exchange, outcome) }
    package func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?) { onEvent?(event, exchange) }
    package func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) { onCommand?(name, arguments, reply) }
}
