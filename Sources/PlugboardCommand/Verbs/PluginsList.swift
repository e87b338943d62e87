import ArgumentParser
import JSON
import Plugboard

struct PluginsList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the plugins that are linked, and those that a configuration names.",
        discussion: """
            EXAMPLES:
              plugboard plugins list
              plugboard plugins list --config plugboard.json --json
            """)

    @OptionGroup var plugins: PluginArguments
    @Flag(help: "Writes JSON.") var json = false

    func run() throws {
        let configuration = try plugins.configuration()
        let lineup = try Lineup(
            configuration, catalog: .bundled, loader: PluginArguments.loader(for: configuration))
        let rows = PluginsList.rows(lineup.plugins)
        if json {
            let list = JSONValue.array(rows.map { row in .object(JSONObject(row.map { ($0, .string($1)) })) })
            return try ByteOutput.standard.write(
                JSONText.write(list, isForTerminal: ByteOutput.standard.isTerminal) + "\n")
        }
        let names = ["id", "version", "priority", "hooks", "linkage", "enabled"]
        let cells = rows.map { row in row.map(\.value) }
        try ByteOutput.standard.write(Table(rows: [names.map { $0.uppercased() }] + cells).text)
    }

    /// Sorted by id: the enabled ones as they will run, the other linked ones as they come.
    private static func rows(_ enabled: [EnabledPlugin]) -> [[(name: String, value: String)]] {
        let linked = Catalog.bundled.ids.filter { id in !enabled.contains { $0.id == id } }
            .compactMap { Catalog.bundled.descriptor($0) }
            .map { row($0, priority: $0.priority, linkage: .linked, isEnabled: false) }
        let running = enabled.map { row($0.descriptor, priority: $0.priority, linkage: $0.linkage, isEnabled: true) }
        return (linked + running).sorted { $0[0].value < $1[0].value }
    }

    private static func row(
        _ descriptor: PluginDescriptor, priority: Int, linkage: EnabledPlugin.Linkage, isEnabled: Bool
    ) -> [(name: String, value: String)] {
        [
            ("id", descriptor.id), ("version", descriptor.version), ("priority", "\(priority)"),
            ("hooks", descriptor.hooks.names.joined(separator: " ")), ("linkage", linkage.text),
            ("enabled", isEnabled ? "yes" : "no"),
        ]
    }
}

extension Hooks {
    /// The hooks and their names, in the order in which an exchange meets them.
    static let all: [(hook: Hooks, name: String)] = [
        (.request, "onRequest"), (.response, "onResponse"), (.failure, "onFailure"), (.close, "onClose"),
        (.event, "onEvent"),
    ]

    var names: [String] { Hooks.all.filter { contains($0.hook) }.map(\.name) }
}

extension EnabledPlugin.Linkage {
    var text: String {
        switch self {
        case .linked: "linked"
        case .loaded(let path): path
        }
    }
}
