import ArgumentParser
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where the process begins and ends: chooses the verb, runs it, and turns what it throws into a message and a status.
@main
enum Main {
    static func main() async {
        // A reader that goes away is an error of `write`, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
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

    /// A first word that is no verb is the id of a plugin.
    private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        guard let first = arguments.first, !first.hasPrefix("-"), !Program.verbs.contains(first) else {
            return try Program.parseAsRoot(arguments)
        }
        return try PluginCommand.parseAsRoot(arguments)
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
                print(message)
                exit(0)
            }
            StandardError.write(message + "\n")
            exit(ExitStatus.usage.number)
        }
    }
}
