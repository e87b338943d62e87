import ArgumentParser
import Plugboard

struct PluginsOrder: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "order", abstract: "Shows the order in which plugins run, and why.",
        discussion: """
            From the outermost to the innermost, a line a plugin: priority, id, where it comes from, hooks, reason. Then
            the way of a request and the way back.

            EXAMPLES:
              plugboard plugins order --config plugboard.json
              plugboard plugins order --plugin redirect --plugin logging
            """)

    @OptionGroup var plugins: PluginArguments

    func run() throws {
        let configuration = try plugins.configuration()
        let lineup = try Lineup(
            configuration, catalog: .bundled, loader: PluginArguments.loader(for: configuration))
        for warning in lineup.warnings { StandardError.say("warning: \(warning).") }
        try ByteOutput.standard.write(OrderDrawing(lineup.plugins).text)
    }
}
