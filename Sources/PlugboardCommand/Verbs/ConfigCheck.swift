import ArgumentParser
import JSON
import Plugboard

struct ConfigCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Reports everything that is wrong with a configuration.",
        discussion: """
            Ends with status 0 if nothing is wrong, else with 1. The shared objects that
            the configuration names are loaded, because they describe their settings.

            EXAMPLES:
              plugboard config check plugboard.json
              plugboard config check --schema > plugboard.schema.json
            """)

    @Argument(help: ArgumentHelp("The configuration.", valueName: "file")) var file: String?
    @Flag(help: "Writes the JSON Schema of configurations instead.") var schema = false

    func validate() throws {
        guard schema != (file != nil) else { throw ValidationError("Give a file to check, or --schema.") }
    }

    func run() throws {
        guard let file else {
            let text: String = JSONWriter.write(ConfigurationSchema.write(.bundled), options: .init(pretty: true))
            return try ByteOutput.standard.write(text + "\n")
        }
        let reading = Configuration.check(file: file)
        guard let configuration = reading.readable else { throw report(reading.faults) }
        PluginArguments.tellOfCrashes(configuration)
        let assembly = Lineup.check(
            configuration, catalog: .bundled, loader: PluginArguments.loader(for: configuration))
        // What a text has wrong and what its plugins make of it may be told of one place: the text comes first.
        let places = Set(reading.faults.map(\.path))
        let faults = (reading.faults + assembly.faults.filter { !places.contains($0.path) }).sorted {
            ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0)
        }
        guard faults.isEmpty, let lineup = assembly.lineup else { throw report(faults) }
        for warning in lineup.warnings { StandardError.warn(warning) }
        let ids = lineup.plugins.map(\.id)
        try ByteOutput.standard.write(
            "\(file): nothing is wrong; " + (ids.isEmpty ? "no plugins" : "plugins: \(ids.joined(separator: ", "))")
                + "\n")
    }

    private func report(_ faults: [ConfigurationFault]) -> CommandFailure {
        for fault in faults { StandardError.write("\(fault)\n") }
        return CommandFailure(.failure, nil)
    }
}
