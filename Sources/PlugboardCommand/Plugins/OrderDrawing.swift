import Plugboard

/// The chain of plugins: a table, and the way of a request through it and back.
struct OrderDrawing {
    private let plugins: [EnabledPlugin]

    init(_ plugins: [EnabledPlugin]) { self.plugins = plugins }

    var text: String {
        if plugins.isEmpty { return "No plugins are switched on: requests go straight to the transport.\n" }
        let rows = plugins.map { plugin in
            [
                "\(plugin.priority)", plugin.id, plugin.linkage.text,
                plugin.descriptor.hooks.names.joined(separator: " "), plugin.reason,
            ]
        }
        return Table(rows: rows).text + "\n" + Table(rows: drawing).text
    }

    /// Each plugin has a column; a hook that it does not list leaves a line through it.
    private var drawing: [[String]] {
        [
            line("request", "onRequest", .request, "─▶", "▸", "─▶ transport"),
            line("response", "onResponse", .response, "◀─", "◂", "◀─ transport"),
            line("failure", "onFailure", .failure, "◀─", "◂", "◀─ transport"),
            line("the end", "onClose", .close, "◀─", "◂", ""),
        ]
    }

    private func line(
        _ what: String, _ hookName: String, _ hook: Hooks, _ start: String, _ mark: String, _ end: String
    ) -> [String] {
        let cells = plugins.enumerated().map { index, plugin in
            let name =
                plugin.descriptor.hooks.contains(hook)
                ? plugin.id : String(repeating: "─", count: plugin.id.count)
            return index == 0 ? name : "\(mark) \(name)"
        }
        return [what, hookName, start] + cells + [end]
    }
}
