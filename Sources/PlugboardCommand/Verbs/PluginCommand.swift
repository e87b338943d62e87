import ArgumentParser
import Plugboard
import PlugboardJSON
import PlugboardKit

/// `plugboard PLUGIN-ID COMMAND`: runs a command of a plugin.
struct PluginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugboard", abstract: "Runs a command of a plugin.",
        usage: "plugboard <plugin-id> <command> [<name=value> ...] [<options>]",
        discussion: """
            Arguments are name=value, or one JSON object; a first word without = is the
            value of the command's first argument. A value that is JSON is passed as JSON,
            any other as a text. The plugin must be enabled by the configuration
            or --plugin; `plugboard plugins inspect` lists its commands. Without --timeout,
            a command has no time limit.

            EXAMPLES:
              plugboard cache stats
              plugboard recorder show 12
              plugboard com.example.sign rotate key=2 --plugin ./libsign.so
            """)

    @Argument(help: ArgumentHelp("The plugin's id.", valueName: "plugin-id")) var plugin: String
    @Argument(help: ArgumentHelp("The name of the command.", valueName: "command")) var command: String
    @Argument(help: ArgumentHelp("Arguments.", valueName: "name=value")) var arguments: [String] = []
    @Option(help: ArgumentHelp("The time limit for its reply.", valueName: "30s"))
    var timeout: String?
    @OptionGroup(title: "Plugins") var plugins: PluginArguments

    func run() async throws {
        _ = try Duration.argument(timeout, "--timeout")
        var configuration = try plugins.configuration()
        try configuration.trustEnvironment()
        configuration.onlyCommand = (plugin, command)
        // The socket is that of a program that may be running.
        configuration.kernel.control = nil
        try await Kernel.whileRunning(configuration) { try await ask($0) }
    }

    private func ask(_ kernel: Kernel) async throws {
        guard kernel.plugins.contains(where: { $0.id == plugin }) else {
            throw PluginCommand.unknown(plugin, among: kernel.plugins.map(\.id))
        }
        let definitions = kernel.plugins.first { $0.id == plugin }?.descriptor.commands ?? []
        let text = try CommandObject.text(arguments, of: definitions.first { $0.name == command })
        let interrupt = Interrupt()
        let asking = Task { try await write(try await kernel.command(plugin, command, text)) }
        interrupt.cancels { asking.cancel() }
        let limit = try limit { asking.cancel() }
        defer { limit?.lift() }
        do {
            try await asking.value
        } catch  where limit?.isReached == true {
            throw limit?.failure ?? error
        } catch let error as PlugboardError where error.code != .cancelled {
            // The plugin may use any code, so the status is that of failed commands.
            throw CommandFailure(.command, error)
        }
        withExtendedLifetime(interrupt) {}
    }

    private func limit(_ cancel: @escaping @Sendable () -> Void) throws -> TimeLimit? {
        try Duration.argument(timeout, "--timeout").map { duration in
            TimeLimit(
                duration,
                "The plugin \(plugin) has not replied to its command \(command) within \(DurationText(duration)).",
                cancel)
        }
    }

    private func write(_ reply: CommandReply) async throws {
        let output = ByteOutput.standard
        switch reply {
        case .json(let text):
            guard output.isTerminal, let laidOut = JSONLayout.forTerminals.text(of: Bytes(text), escapes: true) else {
                return try output.write(text + "\n")
            }
            try output.write(Bytes(laidOut + "\n"))
        case .body(let body):
            try await BodyWriter(output, isForReaders: output.isTerminal).write(body)
        }
    }

    /// Whether the first word looks like a URL, so that the verb is missing.
    static func looksLikeURL(_ word: String) -> Bool {
        word.contains("://") || !word.hasPrefix(".") && !word.hasPrefix("/") && word.contains { $0 == "/" || $0 == ":" }
    }

    /// The error for a first word that is neither a verb nor the id of an enabled plugin.
    static func unknown(_ word: String, among ids: [String]) -> CommandFailure {
        if Catalog.bundled.descriptor(word) != nil {
            return CommandFailure(
                .usage,
                "The plugin \(word) is not enabled. Enable it, and give a command: plugboard \(word) COMMAND "
                    + "--plugin \(word), or with a --config that lists it.")
        }
        if looksLikeURL(word) {
            let url = Printable.url(word)
            return CommandFailure(.usage, "A URL needs a verb before it: plugboard get \(url)")
        }
        let near = Spelling.nearest(word, in: Program.words + ids).map { " Did you mean \($0)?" } ?? ""
        return CommandFailure(
            .usage, "\(Printable.text(word)) is neither a verb nor a plugin that is enabled.\(near) See --help.")
    }
}
