import ArgumentParser
import Plugboard

struct ExecVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Serves requests of another program, as JSON Lines.",
        usage: "plugboard exec [<options>]",
        discussion: """
            One JSON object a line on standard input, one a line on standard output, in
            any order; ends with its input, or with status 23 when a reply cannot be
            written. The plugins redirect and decode are switched on unless the
            configuration names them.

            EXAMPLES:
              echo '{"id": "1", "url": "https://example.com/"}' | plugboard exec
              plugboard exec --config plugboard.json < requests > replies
            """)

    @OptionGroup(title: "Plugins") var plugins: PluginArguments
    @Option(help: ArgumentHelp("The folder in which plugins keep what they remember.", valueName: "folder"))
    var state: String?

    func run() async throws {
        var configuration = try plugins.configuration()
        for id in ["decode", "redirect"] where Catalog.bundled.descriptor(id) != nil {
            if !configuration.names(id) { configuration.plugins.append(PluginEntry(id)) }
        }
        if let state { configuration.kernel.dataDirectory = state }
        try await Kernel.whileRunning(configuration) { kernel in
            try await Driver(kernel).run(StandardInputLines(limit: Driver.limit))
        }
    }
}
