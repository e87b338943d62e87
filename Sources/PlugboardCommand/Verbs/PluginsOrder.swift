import ArgumentParser
import Plugboard

struct PluginsOrder: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "order", abstract: "Shows the order in which plugins run, and why.",
        usage: "plugboard plugins order [<options>]",
        discussion: """
            One line for each plugin, from the outermost to the innermost: priority, id,
            linked or the file, hooks, the reason for its position, and where it is
            enabled. Then the order in which each hook is called, the plugins that listen
            to events, the services that plugins provide and which plugins need them, and
            the plugins that are not enabled, with the reason.

            With --json, one object:
              plugins   id, version, priority, reason, hooks, locations (where it is
                        enabled, the one whose values win first), and perhaps events
                        (without them: all), path (without it: linked), and the
                        services that it provides and needs
              hooks     for each hook, the ids in the order in which it is called
              absent    id, path, reason (unlisted, disabled, safe), perhaps location
              warnings  sentences

            EXAMPLES:
              plugboard plugins order --config plugboard.json
              plugboard plugins order --plugin redirect --plugin logging --json
              plugboard plugins order -L --retry 3 -u me --session work
            """)

    @OptionGroup(title: "Plugins") var plugins: PluginArguments
    @OptionGroup(title: "Options of requests that enable plugins") var curl: CurlArguments
    @OptionGroup var cookies: CookieArguments
    @Flag(help: "Writes JSON.") var json = false

    func run() throws {
        let configuration = try plugins.configuration {
            try curl.enable(in: &$0)
            try cookies.enable(in: &$0)
            try cookies.enableSession(in: &$0, isDry: true)
        }
        let resolved = try PluginArguments.resolved(of: configuration)
        for warning in resolved.warnings { StandardError.warn(warning) }
        let drawing = OrderDrawing(plugins: resolved.plugins, absence: Absence(from: resolved, configuration))
        if json { return try ByteOutput.standard.write(drawing.json(warnings: resolved.warnings)) }
        try ByteOutput.standard.write(drawing.text)
    }
}
