import Plugboard
import PlugboardJSON
import PlugboardKit

/// The chain of plugins: a table, the order in which each hook is called, and the events that plugins listen to.
struct OrderDrawing {
    let plugins: [EnabledPlugin]
    let absence: Absence

    var text: String {
        if plugins.isEmpty {
            return "No plugins are enabled: requests go straight to the transport.\n" + absence.text
        }
        let rows = plugins.map { plugin in
            [
                "\(plugin.priority)", plugin.id, Printable.text(plugin.linkage.text),
                plugin.descriptor.hooks.names.joined(separator: " "), plugin.reason,
                Printable.text(plugin.enabledAt.joined(separator: ", ")),
            ]
        }
        return Table(rows: rows).text + "\n" + Table(rows: drawing).text + listening + services + absence.text
    }

    /// A column for each plugin; a line instead of its id if it does not have the hook.
    private var drawing: [[String]] {
        [
            line("request", "onRequest", .request, "─▶", "▸", "─▶ transport"),
            line("response", "onResponse", .response, "◀─", "◂", "◀─ transport"),
            line("failure", "onFailure", .failure, "◀─", "◂", "◀─ transport"),
            line("the end", "onClose", .close, "◀─", "◂", ""),
            line("events", "onEvent", .event, "", " ", "", rest: " "),
        ]
    }

    private func line(
        _ what: String, _ hookName: String, _ hook: Hooks, _ start: String, _ mark: String, _ end: String,
        rest: String = "─"
    ) -> [String] {
        let cells = plugins.enumerated().map { index, plugin in
            let name =
                plugin.descriptor.hooks.contains(hook)
                ? plugin.id : String(repeating: rest, count: plugin.id.count)
            return index == 0 ? name : "\(mark) \(name)"
        }
        return [what, hookName, start] + cells + [end]
    }

    private var listening: String {
        let rows = listeners.map { ["  " + $0.id, $0.hears.isEmpty ? "every event" : $0.hears.joined(separator: " ")] }
        return rows.isEmpty ? "" : "\nListening:\n" + Table(rows: rows).text
    }

    private var listeners: [(id: String, hears: [String])] {
        plugins.filter { $0.descriptor.hooks.contains(.event) }.map { ($0.id, $0.descriptor.events) }
    }

    private var services: String {
        let rows = plugins.flatMap { provider in
            provider.descriptor.provides.map { id in
                let users = plugins.filter { user in
                    user.descriptor.needs.contains { PluginDescriptor.id(inOrder: $0) == id }
                }
                let names = users.map(\.id).joined(separator: ", ")
                return ["  " + Printable.text(id), "of \(provider.id)", names.isEmpty ? "" : "for \(names)"]
            }
        }
        return rows.isEmpty ? "" : "\nServices:\n" + Table(rows: rows).text
    }

    /// The order for programs, as `plugboard plugins order --help` describes it.
    func json(warnings: [String]) -> JSONValue {
        let hooks = Hooks.all.map { hook, name in
            let chain = plugins.filter { $0.descriptor.hooks.contains(hook) }.map { JSONValue.string($0.id) }
            // Outward hooks call the innermost plugin first.
            return (name, JSONValue.array(hook == .request || hook == .event ? chain : chain.reversed()))
        }
        return [
            "plugins": .array(plugins.map(OrderDrawing.json)), "hooks": .object(JSONObject(hooks)),
            "absent": absence.json, "warnings": .array(warnings.map { .string($0) }),
        ]
    }

    private static func json(_ plugin: EnabledPlugin) -> JSONValue {
        var object: JSONObject = [
            "id": .string(plugin.id), "version": .string(plugin.descriptor.version),
            "priority": .number(JSONNumber(plugin.priority)), "reason": .string(plugin.reason),
            "hooks": .array(plugin.descriptor.hooks.names.map { .string($0) }),
        ]
        // An empty list means every event, and is left out.
        if plugin.descriptor.hooks.contains(.event), !plugin.descriptor.events.isEmpty {
            object["events"] = .array(plugin.descriptor.events.map { .string($0) })
        }
        for (name, services) in [("provides", plugin.descriptor.provides), ("needs", plugin.descriptor.needs)]
        where !services.isEmpty {
            object[name] = .array(services.map { .string($0) })
        }
        if case .loaded(let path) = plugin.linkage { object["path"] = .string(path) }
        object["locations"] = .array(plugin.enabledAt.map { .string($0) })
        return .object(object)
    }
}

extension EnabledPlugin {
    /// Where the plugin is enabled: by a file, or by the command line, which is the program here.
    var enabledAt: [String] {
        locations.map { $0.hasPrefix("program") ? "command line" : $0 }
    }
}
