import ArgumentParser
import Plugboard
import PlugboardJSON
import PlugboardKit

struct PluginsList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists all plugins, and whether they are enabled.",
        usage: "plugboard plugins list [<options>]",
        discussion: """
            These are the linked plugins, those of the configuration, and the shared
            objects in its kernel.pluginFolders. The last column says why a plugin is not
            enabled.

            With --json, an array of objects with texts: id, version, priority, hooks,
            linkage (linked, or the file), enabled (yes, no), and why if it is not.

            EXAMPLES:
              plugboard plugins list
              plugboard plugins list --config plugboard.json --json
            """)

    @OptionGroup(title: "Plugins") var plugins: PluginArguments
    @Flag(help: "Writes JSON.") var json = false

    func run() throws {
        let configuration = try plugins.configuration()
        let resolved = try PluginArguments.resolved(of: configuration)
        for warning in resolved.warnings { StandardError.warn(warning) }
        let rows =
            (resolved.plugins.map(PluginsList.row) + Absence(from: resolved, configuration).plugins.map(PluginsList.row))
            .sorted { $0[0].value < $1[0].value }
        if json {
            let list = JSONValue.array(
                rows.map { row in .object(JSONObject(row.filter { !$0.value.isEmpty }.map { ($0, .string($1)) })) })
            return try ByteOutput.standard.write(list)
        }
        let names = ["id", "version", "priority", "hooks", "linkage", "enabled", "why"]
        let cells = rows.map { row in row.map(\.value) }
        try ByteOutput.standard.write(Table(rows: [names.map { $0.uppercased() }] + cells).text)
    }

    private static func row(_ plugin: EnabledPlugin) -> [(name: String, value: String)] {
        row(plugin.id, plugin.descriptor, priority: plugin.priority, plugin.linkage.text, why: nil)
    }

    /// The row of a plugin that does not run. Of an unopened file, only the path and perhaps the id are known.
    private static func row(_ plugin: AbsentPlugin) -> [(name: String, value: String)] {
        let descriptor = plugin.path == nil ? plugin.id.flatMap { Catalog.bundled.descriptor($0) } : nil
        return row(
            plugin.name, descriptor, priority: descriptor?.priority, plugin.linkage, why: plugin.reason.text)
    }

    private static func row(
        _ id: String, _ descriptor: PluginDescriptor?, priority: Int?, _ linkage: String, why: String?
    ) -> [(name: String, value: String)] {
        [
            ("id", id), ("version", descriptor?.version ?? ""), ("priority", priority.map { "\($0)" } ?? ""),
            ("hooks", descriptor?.hooks.names.joined(separator: " ") ?? ""), ("linkage", linkage),
            ("enabled", why == nil ? "yes" : "no"), ("why", why ?? ""),
        ]
    }
}

extension Hooks {
    /// The hooks with their names, in the order in which an exchange calls them.
    static let all: [(hook: Hooks, name: String)] = [
        (.request, "onRequest"), (.response, "onResponse"), (.failure, "onFailure"), (.close, "onClose"),
        (.event, "onEvent"),
    ]

    var names: [String] { Hooks.all.filter { contains($0.hook) }.map(\.name) }
}
