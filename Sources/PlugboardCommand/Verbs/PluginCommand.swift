import ArgumentParser
import JSON
import Plugboard

/// `plugboard PLUGIN-ID COMMAND`: what plugins themselves can be asked to do.
struct PluginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugboard", abstract: "Asks a plugin to do one of the things it lists.",
        usage: "plugboard <plugin-id> <command> [<name=value> ...] [<options>]",
        discussion: """
            Arguments are name=value, where a value that is JSON stands for itself and any
            other is a text; or one JSON object. The plugin must be switched on by
            --config or --plugin; `plugboard plugins inspect` lists its commands. A
            command may take as long as it likes, unless --timeout says otherwise.

            EXAMPLES:
              plugboard cache stats --config plugboard.json
              plugboard com.example.sign rotate key=2 --plugin ./libsign.so
            """)

    @Argument(help: ArgumentHelp("The plugin's id.", valueName: "plugin-id")) var plugin: String
    @Argument(help: ArgumentHelp("What it is to do.", valueName: "command")) var command: String
    @Argument(help: ArgumentHelp("Arguments.", valueName: "name=value")) var arguments: [String] = []
    @Option(help: ArgumentHelp("The longest its answer may take.", valueName: "30s"))
    var timeout: String?
    @OptionGroup(title: "Plugins") var plugins: PluginArguments

    func run() async throws {
        _ = try Duration.argument(timeout, "--timeout")
        try await Kernel.whileRunning(try plugins.configuration()) { try await ask($0) }
    }

    private func ask(_ kernel: Kernel) async throws {
        guard kernel.plugins.contains(where: { $0.id == plugin }) else {
            throw PluginCommand.unknown(plugin, among: kernel.plugins.map(\.id))
        }
        let text = try CommandObject.text(arguments)
        // Before the command begins, or a signal would find nobody.
        let stopping = AsyncStream<Void>.makeStream()
        let interrupt = Interrupt { stopping.continuation.finish() }
        let limit = try limit { stopping.continuation.finish() }
        defer { limit?.lift() }
        let asking = Task { try await write(try await kernel.command(plugin, command, text)) }
        let cancelling = Task {
            for await _ in stopping.stream {}
            asking.cancel()
        }
        defer { cancelling.cancel() }
        do {
            try await asking.value
        } catch  where limit?.isReached == true {
            throw limit?.failure ?? error
        } catch let error as PlugboardError where error.code != .cancelled {
            // Codes of plugins' own say nothing of what they were doing.
            throw CommandFailure(.command, error)
        }
        withExtendedLifetime(interrupt) {}
    }

    private func limit(_ cancel: @escaping @Sendable () -> Void) throws -> TimeLimit? {
        try Duration.argument(timeout, "--timeout").map { duration in
            TimeLimit(
                duration,
                "The plugin \(plugin) has not answered its command \(command) within \(duration.configured).", cancel)
        }
    }

    private func write(_ answer: CommandAnswer) async throws {
        let output = ByteOutput.standard
        switch answer {
        case .json(let text):
            guard output.isTerminal, let value = try? JSONParser.parse(text) else {
                return try output.write(text + "\n")
            }
            try output.write(JSONText.write(value, isForTerminal: true) + "\n")
        case .body(let body):
            for try await piece in body { try output.write(piece) }
        }
    }

    /// That a first word is nobody.
    static func unknown(_ word: String, among ids: [String]) -> CommandFailure {
        if Catalog.bundled.descriptor(word) != nil {
            return CommandFailure(
                .usage,
                "The plugin \(word) is not switched on. Say what it is to do, and switch it on: plugboard \(word) COMMAND "
                    + "--plugin \(word), or with a --config that names it.")
        }
        if word.contains("://") {
            let url = printable(redacted(url: word))
            return CommandFailure(.usage, "A URL needs a verb before it: plugboard get \(url)")
        }
        let near = nearest(word, in: Program.verbs.sorted() + ids).map { " Did you mean \($0)?" } ?? ""
        return CommandFailure(
            .usage, "\(printable(word)) is neither a verb nor a plugin that is switched on.\(near) See --help.")
    }
}
