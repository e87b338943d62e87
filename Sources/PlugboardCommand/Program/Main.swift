import ArgumentParser
import Dispatch
import Plugboard
import PlugboardJSON
import PlugboardKit
import PlugboardSystem

/// The entry of the process: chooses the verb, runs it, and turns its error into a message and an exit status.
@main
enum Main {
    /// Not async: Swift's runtime would open descriptors before this function begins.
    static func main() {
        StandardDescriptors.occupy()
        // Writing to a closed pipe must be an error of `write`, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        Interrupt.endAtQuit()
        let work: Work
        do {
            work = try readWords()
        } catch {
            end(with: error)
        }
        if !StandardDescriptors.hasFree(neededDescriptors) { end(with: noDescriptors) }
        if let error = ThreadCheck.error() { end(with: error) }
        startDispatch()
        // Nothing runs on the main actor: each switch between it and the pool of threads would cost a thread, and
        // `dispatchMain` would end this one, for which its stack is unwound.
        Task.detached {
            await run(work)
            exit(0)
        }
        while true { pause() }
    }

    /// What the command line asks for.
    private enum Work {
        case command(any ParsableCommand)
        /// One request, or several that `--next` separates.
        case requests([any RequestVerb])
    }

    /// libdispatch keeps three, and opens one from time to time to read the state of its threads. The loop needs one.
    private static let neededDescriptors = 5

    private static let noDescriptors = PlugboardError(
        .resources,
        "Fewer than \(neededDescriptors) file descriptors are free, which the command needs to start. "
            + "Raise the limit (ulimit -n).")

    /// Seconds until the first timer must have fired, which is due at once.
    private static let startLimit = 10

    private static let noTimer = PlugboardError(
        .resources,
        "No timer fired within \(startLimit) s of the start: the system refuses a timer descriptor (timerfd_create) or to "
            + "watch it (epoll_ctl). Check the limits of the user (fs.epoll.max_user_watches) and of the sandbox (seccomp)."
    )

    /// Makes libdispatch open its descriptors first: without free descriptors it traps, while the kernel throws an
    /// error.
    private static func startDispatch() {
        let started = DispatchSemaphore(value: 0)
        // A source, because `asyncAfter` needs no descriptor when its deadline has passed already.
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.setEventHandler { started.signal() }
        timer.schedule(deadline: .now() + .microseconds(100))
        timer.resume()
        // libdispatch only logs that it cannot open or watch a descriptor, and its timers never fire then.
        if started.wait(timeout: .now() + .seconds(startLimit)) == .timedOut { end(with: noTimer) }
        timer.cancel()
    }

    private static func run(_ work: Work) async {
        do {
            switch work {
            case .requests(let requests): try await TransferRun.run(requests)
            case .command(var command):
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            }
        } catch {
            end(with: error)
        }
    }

    private static func readWords() throws -> Work {
        try checkEncoding()
        let words = words
        SecretWords.overwrite(verb: words.first ?? "")
        guard let first = words.first, let verb = verb(first, of: Program.self) else {
            return .command(try parse(words))
        }
        if verb == CurlVerb.self { return .command(CurlVerb(words: Array(words.dropFirst()))) }
        if let verb = verb as? any RequestVerb.Type { return try requests(verb, words) }
        let groups = try RequestWords(DownloadWords.rewritten(words), isRequest: false).groups
        return .command(try parse(OptionWords.replaced(groups[0])))
    }

    /// The requests of a verb. Their type is a parameter, because finding out whether a value is of some request's type
    /// takes the runtime long.
    private static func requests<Verb: RequestVerb>(_ verb: Verb.Type, _ words: [String]) throws -> Work {
        var requests: [any RequestVerb] = []
        for words in try RequestWords(words).groups {
            let command = try parse(OptionWords.replaced(words))
            // Beside requests, it is a question for help.
            guard let request = command as? Verb else { return .command(command) }
            requests.append(request)
        }
        return .requests(requests)
    }

    /// The words after the name of the program; a program with the name curl runs the verb of this name.
    private static var words: [String] {
        let arguments = CommandLine.arguments
        let name = arguments.first?.split(separator: "/").last ?? ""
        return (name == "curl" ? ["curl"] : []) + arguments.dropFirst()
    }

    /// Throws for words that Swift's texts would change.
    private static func checkEncoding() throws(CommandFailure) {
        for index in 1..<max(Int(CommandLine.argc), 1) {
            guard let word = CommandLine.unsafeArgv[index], String(validatingCString: word) == nil else { continue }
            throw CommandFailure(
                .usage,
                "Argument \(index) is not valid UTF-8. --data-binary @FILE sends any bytes, and -H @FILE fields."
            )
        }
    }

    /// Parses the words of the command line. A first word that is not a verb is the id of a plugin.
    private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        if arguments.first == "help" {
            if arguments.count == 2, Catalog.bundled.descriptor(arguments[1]) != nil {
                return try Program.parseAsRoot(["plugins", "inspect", arguments[1]])
            }
            try checkHelp(arguments.dropFirst())
        }
        guard let first = arguments.first, !first.hasPrefix("-"), first != "help", verb(first, of: Program.self) == nil
        else {
            try checkVerb(arguments)
            // The verb alone, because looking through all of them takes time. Help and errors are the whole program's.
            if let (verb, rest) = innermostVerb(arguments), let command = try? verb.parseAsRoot(rest),
                type(of: command) == verb
            {
                return command
            }
            return try Program.parseAsRoot(arguments)
        }
        // A single word is more likely a misspelled verb than a plugin without a command.
        guard arguments.count > 1, !PluginCommand.looksLikeURL(first) else {
            throw PluginCommand.unknown(first, among: [])
        }
        return try PluginCommand.parseAsRoot(arguments)
    }

    /// Throws for unknown words after `help`, for which the parser would show the help of a known verb before them.
    private static func checkHelp(_ words: ArraySlice<String>) throws {
        var command: any ParsableCommand.Type = Program.self
        for word in words where !word.hasPrefix("-") {
            guard let next = verb(word, of: command) else {
                let advice = "\(nearest(word, of: command)) See plugboard --help."
                throw CommandFailure(.usage, "There is no help for \(words.joined(separator: " ")).\(advice)")
            }
            command = next
        }
    }

    /// Throws for an unknown word after a verb that has verbs of its own.
    private static func checkVerb(_ words: [String]) throws(CommandFailure) {
        guard words.count > 1, let group = verb(words[0], of: Program.self), !group.configuration.subcommands.isEmpty,
            !words[1].hasPrefix("-"), verb(words[1], of: group) == nil
        else { return }
        throw CommandFailure(
            .usage,
            "There is no verb \(words[0]) \(words[1]).\(nearest(words[1], of: group)) See plugboard \(words[0]) --help."
        )
    }

    private static func verbs(of command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        // The program's own configuration has a long help text, which is made when it is asked for.
        if command == Program.self { return Program.verbs }
        let configuration = command.configuration
        return configuration.subcommands + configuration.groupedSubcommands.flatMap { $0.subcommands }
    }

    private static func verb(_ word: String, of command: any ParsableCommand.Type) -> (any ParsableCommand.Type)? {
        command == Program.self ? Program.verb(word) : verbs(of: command).first { $0.configuration.commandName == word }
    }

    /// The verb that the first words name, with the words after them; nil if these name none, or one that needs
    /// another.
    private static func innermostVerb(_ words: [String]) -> (verb: any ParsableCommand.Type, rest: [String])? {
        var (found, rest) = (Program.self as any ParsableCommand.Type, words[...])
        while let next = rest.first.flatMap({ verb($0, of: found) }) { (found, rest) = (next, rest.dropFirst()) }
        return found == Program.self || !verbs(of: found).isEmpty ? nil : (found, Array(rest))
    }

    private static func nearest(_ word: String, of command: any ParsableCommand.Type) -> String {
        let shown = verbs(of: command).filter { $0.configuration.shouldDisplay }
        return Spelling.nearest(word, in: shown.compactMap { $0.configuration.commandName })
            .map { " Did you mean \($0)?" } ?? ""
    }

    private static func end(with error: any Error) -> Never {
        switch error {
        case is CommandFailure, is PlugboardError:
            let failure = CommandFailure(of: error)
            if let message = failure.message {
                StandardError.say(FoundConfiguration.explained(message, failure.status))
            }
            exit(failure.status.number)
        default:
            // Thrown by the parser: help and the version go to standard output, errors to standard error.
            let message = Program.fullMessage(for: error)
            guard Program.exitCode(for: error) != .success else {
                do throws(CommandFailure) {
                    try ByteOutput.standard.write(message + "\n")
                } catch {
                    end(with: error)
                }
                exit(0)
            }
            StandardError.say(OptionHints.line(of: message))
            exit(ExitStatus.usage.number)
        }
    }
}
