import ArgumentParser
import Plugboard
import PlugboardJSON
import PlugboardSystem
import PluginCheck
import PluginLoader

struct PluginsCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Checks whether a plugin keeps the rules.",
        usage: "plugboard plugins check [<options>] <path.so>",
        discussion: """
            Each check loads the shared object in a process of its own, and runs it with
            requests, responses, failures and other plugins of the checks, without a
            network. Settings come from --set and --config; --response adds a response of
            your server to those that the checks send, and --request a request of yours.

            The requests of the checks are GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH,
            TRACE and invented methods to http://check.example/NUMBER, with various paths
            and queries, and bodies of up to 16 MiB. The responses have the statuses 200
            to 999, and texts, bytes and compressed bodies that may be broken. A plugin
            that acts on a certain host, path, method or body only needs --request.
            Each command is called with {}, and with the arguments that --command gives.
            The clock runs 100 times faster than real time: a deadline of a second passes
            after 10 ms. For a plugin whose own threads need longer, see --clock-speed.

            The result of each check is a line: the status, the name, the reason, and in
            brackets which hooks were called and which verdicts they returned.

              passed    nothing was found
              warned    allowed, but probably a mistake
              skipped   the check does not concern this plugin
              untried   the check could not be made, for example without a setting
              failed    a rule was broken
              crashed   the process ended

            Ends with status 1 if a check failed or crashed, else with 0; with --strict,
            also if one warned or was untried. --json writes one object:

              path      the file
              seed      the seed of the random exchanges, as text
              refused   whether the status is 1
              checks    a list, in order: check, status, reason (may be empty), and
                        covered: hooks, their calls, and how often each verdict came
              covered   the same for all checks together

            CHECKS:
            \(catalog)

            EXAMPLES:
              plugboard plugins check ./libacme_sign.so
              plugboard plugins check ./libacme_sign.so --strict --json --set key=0123
              plugboard plugins check ./libacme_sign.so --only fuzz --seed 42
              plugboard get https://example.com/ -i > sample.http
              plugboard plugins check ./libacme_sign.so --response sample.http
              printf 'POST https://api.example/orders\\nX-A: 1\\n\\n{}' > sample.request
              plugboard plugins check ./libacme_sign.so --request sample.request
              plugboard plugins check ./libacme_sign.so --command 'show={"limit": 3}'
            """)

    @Argument(help: ArgumentHelp("The shared object.", valueName: "path.so")) var path: String
    @OptionGroup var options: CheckArguments
    @Flag(help: "Fails also for checks that warned or were untried.") var strict = false
    @Flag(help: "Writes JSON.") var json = false

    func run() throws {
        if !path.contains("/"), access(path, F_OK) != 0, Catalog.bundled.descriptor(path) != nil {
            throw CommandFailure(
                .usage,
                "The plugin \(path) is linked into this program. check needs a shared object: give the path of "
                    + "libplugboard-\(path).so.")
        }
        let seed = options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        let check = try options.check(path, seed: seed)
        // An absolute path, as every other verb shows it.
        let file = PluginArguments.absolute(path)
        let output = ByteOutput.standard
        let lines = json ? nil : CheckLines(output, of: options.only)
        let report = try check.run { name in
            ["plugins", "check-alone", file, "--only", name, "--seed", "\(seed)"]
                + options.words + ["--scratch"]
        } telling: { progress in
            lines?.show(progress)
        }
        if json {
            try output.write(report.json(strict: strict))
        } else {
            if let failure = lines?.failure { throw failure }
            let remarks = lines?.isLoaded == false ? "" : report.remarks(strict: strict)
            try output.write(report.summary + "\n" + remarks)
        }
        if report.isRefused(strict: strict) { throw CommandFailure(.failure, nil) }
    }

    /// A line for each check.
    private static var catalog: String {
        Table(rows: PluginCheck.catalog.map { ["  " + $0.name, $0.purpose] }).text.dropLast().description
    }
}

/// Runs one check in this process, for its parent process.
struct PluginsCheckAlone: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-alone", abstract: "Runs one check in this process.", shouldDisplay: false)

    @Argument var path: String
    @OptionGroup var options: CheckArguments
    @Option var scratch: String

    func run() async throws {
        guard let name = options.only.first, let seed = options.seed else {
            throw CommandFailure(.usage, "check-alone is for `plugboard plugins check`.")
        }
        try await options.check(path, seed: seed).perform(name, scratch: scratch, outlet: 3)
    }
}

/// The options of checks.
struct CheckArguments: ParsableArguments {
    @Option(
        name: .customLong("set"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A setting of the plugin; replaces the configuration's.", valueName: "key=value"))
    var settings: [String] = []
    @Option(
        help: ArgumentHelp("A configuration that has the plugin's settings.", valueName: "file"), completion: .file())
    var config: String?
    @Option(
        help: ArgumentHelp("One more response for the checks, written by `get -i`.", valueName: "file"),
        completion: .file())
    var response: String?
    @Option(
        help: ArgumentHelp(
            "One more request for the checks: METHOD URL, fields, an empty line, a body.", valueName: "file"),
        completion: .file())
    var request: String?
    @Option(
        name: .customLong("command"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Arguments for a command; can be repeated.", valueName: "name=json"))
    var commands: [String] = []
    @Option(
        name: .customLong("with"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A plugin whose services it needs; can be repeated.", valueName: "path.so"))
    var companions: [String] = []
    @Option(
        help: ArgumentHelp("How many times faster than real time the clock runs, 1 to 100.", valueName: "n"))
    var clockSpeed = 100
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Runs only this check; can be repeated.", valueName: "check"))
    var only: [String] = []
    @Option(help: ArgumentHelp("The seed of the random exchanges; by default random.", valueName: "n"))
    var seed: UInt64?

    func validate() throws {
        let names = PluginCheck.catalog.map(\.name)
        for name in only where !names.contains(name) {
            throw ValidationError("There is no check \(name). The checks are \(names.joined(separator: ", ")).")
        }
        for setting in settings where !setting.contains("=") { throw ValidationError("--set must be key=value.") }
        for command in commands {
            let json = command.firstIndex(of: "=").map { String(command[command.index(after: $0)...]) } ?? ""
            guard (try? JSONParser.parse(json))?.objectValue != nil else {
                throw ValidationError("--command must be name=json, with an object as show={\"limit\": 3}.")
            }
        }
        guard (1...100).contains(clockSpeed) else { throw ValidationError("--clock-speed must be 1 to 100.") }
    }

    /// These options as arguments for the process of one check.
    var words: [String] {
        var words = settings.flatMap { ["--set", $0] } + commands.flatMap { ["--command", $0] }
        words += companions.flatMap { ["--with", PluginArguments.absolute($0)] }
        for (name, value) in [("--config", config), ("--response", response), ("--request", request)] {
            if let value { words += [name, value] }
        }
        return words + ["--clock-speed", "\(clockSpeed)"]
    }

    func check(_ path: String, seed: UInt64) throws -> PluginCheck {
        func pairs(_ texts: [String]) -> [String: String] {
            let pairs = texts.map { text in
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
            }
            return Dictionary(pairs) { $1 }
        }
        var check = PluginCheck(
            path: path, settings: pairs(settings), seed: seed, chosen: only.isEmpty ? nil : only)
        if let config { check.configured = try configured(path, in: config) }
        (check.commands, check.clockSpeed) = (pairs(commands), clockSpeed)
        check.companions = companions.map(PluginArguments.absolute)
        if let request { check.request = try SampleRequest(try FileContents.bytes(of: request)) }
        if let response { check.sample = try SampleResponse(try FileContents.bytes(of: response)) }
        return check
    }

    /// The settings that a configuration has for the file, found by its path or by the id in its metadata.
    private func configured(_ path: String, in config: String) throws -> JSONObject {
        let file = PluginArguments.absolute(path)
        let id = (try? DynamicLoader.dynamic.inspect(file))?.metadata?.id
        let reading = Configuration.check(file: config)
        guard let entries = reading.configuration?.plugins else {
            throw PlugboardError(.configuration, reading.errors.map(\.description).joined(separator: "\n"))
        }
        guard let entry = entries.first(where: { $0.path == file || $0.id != nil && $0.id == id }) else {
            throw CommandFailure(
                .usage,
                "\(config) has no plugin with the path \(file)\(id.map { " or the id \($0)" } ?? "").")
        }
        return entry.settings
    }
}
