import ArgumentParser
import Plugboard
import PlugboardEndpoints
import PlugboardJSON

struct EndpointsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows a definition and its parameters.",
        usage: "plugboard endpoints show [<options>] <name>",
        discussion: """
            With --json, one object:
              name, method, url, description, deprecated
              parameters  name, in, type, required, and perhaps values, default,
                          description, deprecated
              body        type, required
              response    none, raw, object or list
              security    lists of scheme names, of which one is needed

            EXAMPLES:
              plugboard endpoints show TopicList --config plugboard.json
              plugboard endpoints show createTopic --openapi api.json --json
            """)

    @Argument(
        help: ArgumentHelp("The name of the definition.", valueName: "name"), completion: DefinitionCompletion.names)
    var name: String
    @OptionGroup(title: "Definitions") var definitions: DefinitionArguments
    @OptionGroup(title: "Plugins") var plugins: PluginArguments
    @Flag(help: "Writes JSON.") var json = false

    func run() async throws {
        let definition = try await definitions.definitions(of: plugins).definition(name)
        let report = DefinitionReport(definition)
        if json {
            let text = JSONText.write(report.json, isForTerminal: ByteOutput.standard.isTerminal)
            return try ByteOutput.standard.write(text + "\n")
        }
        try ByteOutput.standard.write(report.text)
    }
}
