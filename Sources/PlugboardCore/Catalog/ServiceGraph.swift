import PlugboardKit

/// A table of functions that one plugin provides for others.
///
/// Sendable because its id says which threads may use it.
struct Service: @unchecked Sendable { let table: UnsafeRawPointer }

/// Which plugin provides each service, and the order in which plugins are created and started. They are stopped and
/// destroyed in the reverse order.
struct ServiceGraph: Sendable {
    /// The indices of the plugins: a plugin comes after those whose services it needs or uses, and else in its own
    /// place.
    let startOrder: [Int]
    /// The plugins that cannot be put in this order.
    let cyclic: [Int]
    /// The index of the plugin that provides a service; of several the first.
    private let providers: [String: Int]
    /// For each plugin, those whose services it needs or uses.
    private let used: [[Int]]

    init(_ plugins: [PluginDescriptor]) {
        var providers: [String: Int] = [:]
        for (index, plugin) in plugins.enumerated() {
            for id in plugin.provides where providers[id] == nil { providers[id] = index }
        }
        let used = plugins.enumerated().map { index, plugin in
            plugin.needs.compactMap { providers[PluginDescriptor.id(inOrder: $0)] }.filter { $0 != index }
        }
        var order: [Int] = []
        var waiting = Array(plugins.indices)
        while let next = waiting.firstIndex(where: { used[$0].allSatisfy(order.contains) }) {
            order.append(waiting.remove(at: next))
        }
        startOrder = order + waiting
        cyclic = waiting
        self.providers = providers
        self.used = used
    }

    /// The plugin that provides a service, by its index.
    func provider(of id: String) -> Int? { providers[id] }

    /// Each plugin of a cycle has another one of it before itself, so following them must come back.
    var cycle: [Int] {
        guard var next = cyclic.first else { return [] }
        var path: [Int] = []
        while !path.contains(next) {
            path.append(next)
            next = used[next].first { cyclic.contains($0) } ?? next
        }
        return Array(path.drop { $0 != next }) + [next]
    }
}

extension PluginResolver {
    /// Notes services that are needed and not there, that two plugins provide, and plugins that need one another.
    mutating func checkServices(_ plugins: [EnabledPlugin]) {
        let graph = ServiceGraph(plugins.map(\.descriptor))
        for (index, plugin) in plugins.enumerated() {
            for id in plugin.descriptor.provides {
                guard let first = graph.provider(of: id), first != index else { continue }
                reading.note(
                    plugin.location,
                    "provides the service \(Printable.text(id)), which \(plugins[first].id) provides already. Keep one of "
                        + "the plugins", code: .pluginStart)
            }
            for id in plugin.descriptor.needs where !id.hasSuffix("?") && graph.provider(of: id) == nil {
                let known = catalog.ids.filter { catalog.descriptor($0)?.provides.contains(id) == true }
                let remedy =
                    known.isEmpty
                    ? "Enable the plugin that provides it"
                    : "Enable \(known.joined(separator: " or ")), which provides it"
                reading.note(
                    plugin.location,
                    "needs \(Printable.text(id)), which neither an enabled plugin nor this kernel has. \(remedy)",
                    code: .pluginStart)
            }
        }
        if let first = graph.cycle.first {
            reading.note(
                plugins[first].location,
                "cannot be started: \(graph.cycle.map { plugins[$0].id }.joined(separator: " → ")), where each needs a "
                    + "service of the next. Make one of these needs optional (?)", code: .pluginOrder)
        }
    }
}
