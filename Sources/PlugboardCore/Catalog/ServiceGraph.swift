import PlugboardBorder

/// A table of functions that one plugin provides for others.
///
/// Sendable because its id says which threads may use it.
struct Service: @unchecked Sendable { let table: UnsafeRawPointer }

/// Which plugin provides each service, and the order in which plugins are created and started. They are stopped and
/// destroyed in the reverse order.
struct ServiceGraph: Sendable {
    /// The indices of the plugins in the order of their start. The plugin that provides a service comes before those
    /// that need or use it; other plugins keep their order.
    let startOrder: [Int]
    /// The ids of plugins of which each needs a service of the next, the first again at the end; empty if there are
    /// none.
    let cycle: [String]
    private let providers: [String: Int]

    init(_ plugins: [PluginDescriptor]) {
        var providers: [String: Int] = [:]
        for (index, plugin) in plugins.enumerated() {
            for id in plugin.provides where providers[id] == nil { providers[id] = index }
        }
        self.providers = providers
        let items = plugins.enumerated().map { index, plugin in
            let used = plugin.needs.compactMap { providers[PluginDescriptor.id(inOrder: $0)] }
            return PluginOrder.Item(
                id: plugin.id, priority: index, after: used.filter { $0 != index }.map { plugins[$0].id })
        }
        do throws(PluginOrder.Cycle) {
            let order = try PluginOrder(ordering: items).placed
            startOrder = order.compactMap { placed in plugins.firstIndex { $0.id == placed.id } }
            cycle = []
        } catch {
            (startOrder, cycle) = (Array(plugins.indices), error.ids.reversed())
        }
    }

    /// The index of the plugin that provides a service; the first one if there are several.
    func provider(of id: String) -> Int? { providers[id] }
}

extension PluginResolver {
    /// Notes needed services that are missing, services that two plugins provide, and plugins that need one another.
    mutating func checkServices(_ plugins: [EnabledPlugin]) {
        let graph = ServiceGraph(plugins.map(\.descriptor))
        for (index, plugin) in plugins.enumerated() {
            for id in plugin.descriptor.provides {
                guard let first = graph.provider(of: id), first != index else { continue }
                reading.note(
                    plugin.location,
                    "is \(plugin.id) and provides the service \(Printable.text(id)), which \(plugins[first].id) provides "
                        + "already. Keep one of the plugins", code: .pluginStart)
            }
            for id in plugin.descriptor.needs where !id.hasSuffix("?") && (graph.provider(of: id) ?? index) == index {
                let known = catalog.ids.filter { catalog.descriptor($0)?.provides.contains(id) == true }
                let remedy =
                    known.isEmpty
                    ? "Enable the plugin that provides it, or use the version of Plugboard that has it"
                    : "Enable \(known.joined(separator: " or ")), which provides it"
                reading.note(
                    plugin.location,
                    "is \(plugin.id) and needs \(Printable.text(id)), which neither an enabled plugin nor this kernel "
                        + "has. \(remedy)", code: .pluginStart)
            }
        }
        if let first = plugins.first(where: { $0.id == graph.cycle.first }) {
            reading.note(
                first.location,
                "cannot be started: \(graph.cycle.joined(separator: " → ")), where each needs a service of the next. Make "
                    + "one of these needs optional (?)", code: .pluginOrder)
        }
    }
}
