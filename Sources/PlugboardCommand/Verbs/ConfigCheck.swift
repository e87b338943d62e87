import ArgumentParser
import Plugboard
import PlugboardEndpoints
import PlugboardJSON

struct ConfigCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Reports everything that is wrong with a configuration.",
        discussion: """
            Ends with status 0 if nothing is wrong, else with 1. The shared objects that
            the configuration names are loaded, and plugins are created but not started,
            because they know which settings make sense. Without FILE, the configuration
            that plugboard config path shows is checked. With --connect, the plugins that
            have a command check, such as redis, then ask their servers.

            EXAMPLES:
              plugboard config check
              plugboard config check --connect
              plugboard config check plugboard.json
              plugboard config check --schema > plugboard.schema.json
            """)

    @Argument(help: ArgumentHelp("The configuration.", valueName: "file"), completion: .file()) var file: String?
    @Flag(help: "Asks the servers that plugins keep things in, too.") var connect = false
    @Flag(help: "Writes the JSON Schema of configurations instead.") var schema = false

    func validate() throws {
        if schema && (file != nil || connect) { throw ValidationError("Give a file to check, or --schema.") }
    }

    func run() async throws {
        if schema {
            let text: String = JSONWriter.write(
                ConfigurationSchema.write(.bundled, sections: [Definitions.section: Definitions.schema]),
                options: .init(pretty: true))
            return try ByteOutput.standard.write(text + "\n")
        }
        if let file { return try await check(file) }
        let found = try ConfigPath.required()
        guard let path = try found.usablePath() else {
            throw CommandFailure(.usage, "Give a file: \(found.path) does not exist. plugboard config init writes it.")
        }
        try await check(path)
    }

    private func check(_ file: String) async throws {
        let (configuration, plugins) = try ConfigCheck.check(file)
        guard connect else { return }
        var isRight = true
        for plugin in plugins where plugin.hasCheck { isRight = try await plugin.check(configuration) && isRight }
        if !isRight { throw CommandFailure(.failure, nil) }
    }

    /// Prints everything that is wrong with a file, or that nothing is. Returns what it says.
    @discardableResult
    static func check(_ file: String) throws -> (Configuration, [EnabledPlugin]) {
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
        return (configuration, resolved.plugins)
    }

    private static func report(_ errors: [ConfigurationError]) -> CommandFailure {
        for error in errors { StandardError.write("\(error)\n") }
        return CommandFailure(.failure, nil)
    }
}

extension EnabledPlugin {
    /// Whether it has the command by which a plugin asks its server.
    fileprivate var hasCheck: Bool { descriptor.commands.contains { $0.name == "check" && $0.isQuiet } }

    /// Runs the command `check`, and prints what it finds. False if anything is wrong.
    fileprivate func check(_ configuration: Configuration) async throws -> Bool {
        var alone = configuration
        // No other plugin begins its work.
        alone.plugins.removeAll { entry in entry.id != id && entry.path.map { .loaded($0) } != linkage }
        alone.origins = [:]
        alone.onlyCommand = (id, "check")
        var (problems, warnings, engine): ([String], [String], String?) = ([], [], nil)
        do {
            let reply = try await Kernel.whileRunning(alone, log: .silent) { try await $0.json(id, "check") }
            func texts(_ name: String) -> [String] { reply[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
            (problems, warnings, engine) = (texts("problems"), texts("warnings"), reply["engine"]?.stringValue)
        } catch let error as PlugboardError {
            problems = [error.reason]
        }
        for warning in warnings { StandardError.warn("\(id): \(Printable.text(warning))") }
        for problem in problems { StandardError.write("\(id): \(Printable.text(problem))\n") }
        guard problems.isEmpty else { return false }
        try ByteOutput.standard.write("\(id): \(Printable.text(engine ?? "its server")) works\n")
        return true
    }
}
