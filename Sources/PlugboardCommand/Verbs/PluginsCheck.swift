import ArgumentParser
import JSON
import PluginCheck

struct PluginsCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Holds a plugin to the rules, a process for each check.",
        usage: "plugboard plugins check [<options>] <path.so>",
        discussion: """
            Opens the file and runs it between plugins, answers and disturbances of the
            checks' own, without a network. Each check says passed, warned, skipped,
            failed or crashed, and why. Nothing of this program's own configuration or
            data is used.

            Ends with status 0 if nothing failed or crashed, else with 1; with --strict,
            warnings count as failures. Each result is written as soon as those before it
            are; on a terminal, a last line says what runs. --json writes one object:

              path      the file
              seed      what chance began with, as text
              refused   whether the status is 1
              checks    a list, in order: check, status, and reason, which may be empty

            CHECKS:
            \(catalog)

            EXAMPLES:
              plugboard plugins check ./libacme_sign.so
              plugboard plugins check ./libacme_sign.so --strict --json --set key=0123
              plugboard plugins check ./libacme_sign.so --only fuzz --seed 42
            """)

    @Argument(help: ArgumentHelp("The shared object.", valueName: "path.so")) var path: String
    @OptionGroup var options: CheckArguments
    @Flag(help: "Takes warnings for failures.") var strict = false
    @Flag(help: "Writes JSON.") var json = false

    func run() throws {
        let seed = options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        let check = options.check(path, seed: seed)
        // Reasons name the file as every other verb does.
        let file = PluginArguments.absolute(path)
        let output = ByteOutput.standard
        let lines = json ? nil : CheckLines(output, of: options.only)
        let report = try check.run { name in
            ["plugins", "check-alone", file, "--only", name, "--seed", "\(seed)"]
                + options.settings.flatMap { ["--set", $0] } + ["--scratch"]
        } telling: { progress in
            lines?.show(progress)
        }
        if json {
            let value = report.json(strict: strict)
            try output.write(JSONText.write(value, isForTerminal: output.isTerminal) + "\n")
        } else {
            if let failure = lines?.failure { throw failure }
            try output.write(report.summary + "\n")
        }
        if report.isRefused(strict: strict) { throw CommandFailure(.failure, nil) }
    }

    /// A line a check.
    private static var catalog: String {
        Table(rows: PluginCheck.catalog.map { ["  " + $0.name, $0.purpose] }).text.dropLast().description
    }
}

/// One check in this process, for the process that started it.
struct PluginsCheckAlone: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-alone", abstract: "Does one check here.", shouldDisplay: false)

    @Argument var path: String
    @OptionGroup var options: CheckArguments
    @Option var scratch: String

    func run() async throws {
        guard let name = options.only.first, let seed = options.seed else {
            throw CommandFailure(.usage, "check-alone is for `plugboard plugins check`.")
        }
        await options.check(path, seed: seed).perform(name, scratch: scratch, outlet: 3)
    }
}

/// What a check varies with.
struct CheckArguments: ParsableArguments {
    @Option(
        name: .customLong("set"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A setting that the plugin is created with.", valueName: "key=value"))
    var settings: [String] = []
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Runs this check, and no others but those named.", valueName: "check"))
    var only: [String] = []
    @Option(help: ArgumentHelp("What chance begins with; by default another each time.", valueName: "n"))
    var seed: UInt64?

    func validate() throws {
        let names = PluginCheck.catalog.map(\.name)
        for name in only where !names.contains(name) {
            throw ValidationError("There is no check \(name). There are \(names.joined(separator: ", ")).")
        }
        for setting in settings where !setting.contains("=") { throw ValidationError("--set must be key=value.") }
    }

    func check(_ path: String, seed: UInt64) -> PluginCheck {
        let pairs = settings.map { setting in
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
        }
        return PluginCheck(
            path: path, settings: Dictionary(pairs) { $1 }, seed: seed, chosen: only.isEmpty ? nil : only)
    }
}
