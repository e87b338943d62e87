import ArgumentParser
import Dispatch
import JSON
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where the process begins and ends: chooses the verb, runs it, and turns what it throws into a message and a status.
@main
enum Main {
    /// Not async: the runtime that it would start before this body opens descriptors of its own.
    static func main() {
        StandardDescriptors.occupy()
        // A reader that goes away is an error of `write`, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        startDispatch()
        Task {
            await run()
            exit(0)
        }
        dispatchMain()
    }

    /// Makes libdispatch open its descriptors first: it traps where it finds none, and the kernel throws.
    private static func startDispatch() {
        let started = DispatchSemaphore(value: 0)
        // A source, because `asyncAfter` needs no descriptor when its deadline has passed already.
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.setEventHandler { started.signal() }
        timer.schedule(deadline: .now() + .microseconds(100))
        timer.resume()
        started.wait()
        timer.cancel()
    }

    private static func run() async {
        do {
            var command = try parse(Array(CommandLine.arguments.dropFirst()))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// A first word that is not a verb is the id of a plugin.
    private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        if arguments.first == "help" { try checkHelp(arguments.dropFirst()) }
        guard let first = arguments.first, !first.hasPrefix("-"), !Program.verbs.contains(first) else {
            return try Program.parseAsRoot(arguments)
        }
        // A lone word is more likely a mistake than a plugin without a command.
        guard arguments.count > 1, !PluginCommand.looksLikeURL(first) else {
            throw PluginCommand.unknown(first, among: [])
        }
        return try PluginCommand.parseAsRoot(arguments)
    }

    /// The parser shows the help of the nearest verb that it knows, however wrong the words are.
    private static func checkHelp(_ words: ArraySlice<String>) throws {
        var command: any ParsableCommand.Type = Program.self
        for word in words where !word.hasPrefix("-") {
            let configuration = command.configuration
            let verbs = configuration.subcommands + configuration.groupedSubcommands.flatMap { $0.subcommands }
            guard let next = verbs.first(where: { $0.configuration.commandName == word }) else {
                let names = verbs.filter { $0.configuration.shouldDisplay }.compactMap { $0.configuration.commandName }
                let near = nearest(word, in: names).map { " Did you mean \($0)?" } ?? ""
                throw CommandFailure(
                    .usage, "There is no help for \(words.joined(separator: " ")).\(near) See plugboard --help.")
            }
            command = next
        }
    }

    private static func end(with error: any Error) -> Never {
        switch error {
        case let failure as CommandFailure:
            if let message = failure.message { StandardError.say(message) }
            exit(failure.status.number)
        case let error as PlugboardError:
            end(with: CommandFailure(ExitStatus(for: error), error))
        default:
            // The parser's own: help and the version go to standard output, mistakes to standard error.
            let message = Program.fullMessage(for: error)
            guard Program.exitCode(for: error) != .success else {
                do throws(CommandFailure) {
                    try ByteOutput.standard.write(message + "\n")
                } catch {
                    end(with: error)
                }
                exit(0)
            }
            let own = message.hasPrefix("Error: ") ? "plugboard: " + message.dropFirst(7) : message
            StandardError.write(own + "\n")
            exit(ExitStatus.usage.number)
        }
    }
}
