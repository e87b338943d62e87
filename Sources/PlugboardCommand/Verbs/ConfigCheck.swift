import ArgumentParser
import Plugboard
import PlugboardEndpoints
import PlugboardJSON

struct ConfigCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Reports everything that is wrong with a configuration.",
        discussion: """
            Ends with status 0 if nothing is wrong, else with 1. The shared objects that
            the configuration names are loaded, and plugins are created but not started,
            because they know which settings make sense. Without FILE, the configuration
            that plugboard config path shows is checked.

            EXAMPLES:
              plugboard config check
              plugboard config check plugboard.json
              plugboard config check --schema > plugboard.schema.json
            """)

    @Argument(help: ArgumentHelp("The configuration.", valueName: "file"), completion: .file()) var file: String?
    @Flag(help: "Writes the JSON Schema of configurations instead.") var schema = false

    func validate() throws {
        if schema && file != nil { throw ValidationError("Give a file to check, or --schema.") }
    }

    func run() throws {
        if schema {
            let text: String = JSONWriter.write(
                ConfigurationSchema.write(.bundled, sections: [Definitions.section: Definitions.schema]),
                options: .init(pretty: true))
            return try ByteOutput.standard.write(text + "\n")
        }
        if let file { return try ConfigCheck.check(file) }
        let found = try ConfigPath.required()
        guard let path = try found.usablePath() else {
            throw CommandFailure(.usage, "Give a file: \(found.path) does not exist. plugboard config init writes it.")
        }
        try ConfigCheck.check(path)
    }

    /// Prints everything that is wrong with a file, or that nothing is.
    static func check(_ file: String) throws {
        let reading = Configuration.check(file: file, sections: PluginArguments.sections)
        guard let configuration = reading.readable else { throw report(reading.errors) }
        PluginArguments.reportCrashes(configuration)
        let loader = PluginArguments.loader(for: configuration)
        let errors = (configuration.errors(catalog: .bundled, loader: loader) + Definitions.check(configuration).errors)
            .sorted { ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0) }
        guard errors.isEmpty else { throw report(errors) }
        let resolved = try ResolvedPlugins(configuration, catalog: .bundled, loader: loader)
        for warning in resolved.warnings { StandardError.warn(warning) }
        let ids = resolved.plugins.map(\.id)
        try ByteOutput.standard.write(
            "\(file): nothing is wrong; " + (ids.isEmpty ? "no plugins" : "plugins: \(ids.joined(separator: ", "))")
                + "\n")
    }

    private static func report(_ errors: [ConfigurationError]) -> CommandFailure {
        for error in errors { StandardError.write("\(error)\n") }
        return CommandFailure(.failure, nil)
    }
}
