import ArgumentParser
import Plugboard
import PlugboardJSON

struct ConfigShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows the values in force, and where they come from.",
        usage: "plugboard config show [<options>]",
        discussion: """
            The file, then one line for each value: its name; the line of the file, the
            variable of the environment, the option of the command line, or default; and
            the value. Defaults of the kernel and of the enabled plugins are shown too.
            Values of secret settings and header fields are not shown.

            With --json, an array of objects with texts: name, value, source.

            EXAMPLES:
              plugboard config show
              plugboard config show --config plugboard.json --set redirect.limit=5
            """)

    @OptionGroup(title: "Plugins") var plugins: PluginArguments
    @Flag(help: "Writes JSON.") var json = false

    func run() throws {
        let configuration = try plugins.configuration()
        let resolved = try PluginArguments.resolved(of: configuration)
        for warning in resolved.warnings { StandardError.warn(warning) }
        let report = ConfigurationReport(configuration, changes: plugins.settings)
        if json {
            return try ByteOutput.standard.write(
                .array(
                    report.rows(resolved).map { row in
                        ["name": .string(row.name), "value": .string(row.value), "source": .string(row.source)]
                    }))
        }
        try ByteOutput.standard.write(report.text(resolved, FoundConfiguration.inUse))
    }
}
