import ArgumentParser
import Plugboard

struct PluginsOrder: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "order", abstract: "Shows the order in which plugins run, and why.",
        usage: "plugboard plugins order [<options>]",
        discussion: """
            From the outermost to the innermost, a line a plugin: priority, id, where it
            comes from, hooks, and why it stands there. Then the way of a request, the
            way back, who hears which events, and which plugins take no part, and why.

            With --json, one object:
              plugins   id, version, priority, reason, hooks, and perhaps events
                        (without them: all) and path (without it: linked)
              hooks     for each hook, the ids in the order in which it is called
              absent    id, path, reason (unlisted, disabled, safe), perhaps place
              warnings  sentences

            EXAMPLES:
              plugboard plugins order --config plugboard.json
              plugboard plugins order --plugin redirect --plugin logging --json
            """)

    @OptionGroup(title: "Plugins") var plugins: PluginArguments
    @Flag(help: "Writes JSON.") var json = false

    func run() throws {
        let configuration = try plugins.configuration()
        let lineup = try PluginArguments.lineup(of: configuration)
        for warning in lineup.warnings { StandardError.say("warning: \(warning).") }
        let drawing = OrderDrawing(plugins: lineup.plugins, absence: Absence(from: lineup, configuration))
        let output = ByteOutput.standard
        try output.write(
            json
                ? JSONText.write(drawing.json(warnings: lineup.warnings), isForTerminal: output.isTerminal) + "\n"
                : drawing.text)
    }
}
