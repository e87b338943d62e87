import ArgumentParser
import Plugboard
import PlugboardEndpoints
import PlugboardJSON

struct EndpointsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the definitions that can be called.",
        usage: "plugboard endpoints list [<options>]",
        discussion: """
            One line for each: name, method, path and description. What is wrong in an
            OpenAPI document, and what is ignored, goes to standard error.

            With --json, a list of objects, each as `plugboard endpoints show --json`
            writes it.

            EXAMPLES:
              plugboard endpoints list --config plugboard.json
              plugboard endpoints list --openapi api.json --json
            """)

    @OptionGroup(title: "Definitions") var definitions: DefinitionArguments
    @OptionGroup(title: "Plugins") var plugins: PluginArguments
    @Flag(help: "Writes JSON.") var json = false

    func run() async throws {
        let definitions = try await definitions.definitions(of: plugins)
        DefinitionArguments.warn(of: definitions)
        if json {
            let list = JSONValue.array(definitions.all.map { DefinitionReport($0).json })
            return try ByteOutput.standard.write(
                JSONText.write(list, isForTerminal: ByteOutput.standard.isTerminal) + "\n")
        }
        let rows = definitions.all.map { definition in
            let note = definition.isDeprecated ? "(deprecated) " : ""
            return [definition.name, definition.method.name, definition.path ?? "", note + definition.documentation]
        }
        try ByteOutput.standard.write(Table(rows: rows).text)
    }
}

extension DefinitionArguments {
    /// The definitions, for verbs that send nothing else: a kernel starts only to fetch them.
    func definitions(of plugins: PluginArguments) async throws -> Definitions {
        var configuration = try plugins.configuration()
        guard let openapi, openapi.hasPrefix("http://") || openapi.hasPrefix("https://") else {
            return try await definitions(configuration) { try Kernel(configuration: configuration, control: nil) }
        }
        try configuration.trustEnvironment()
        return try await Kernel.whileRunning(configuration) { [configuration] kernel in
            try await definitions(configuration) { kernel }
        }
    }
}
