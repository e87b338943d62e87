import ArgumentParser
import Plugboard
import PlugboardKit

/// The options of `plugboard download` and `plugboard upload` that say what is printed.
struct TransferPrinting: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How progress is shown: bar, json, or none, which prints only errors and notes.", valueName: "form"))
    var progress: String?
    @Flag(
        name: [.customShort("s"), .long, .customShort("q"), .customLong("quiet")],
        help: "Prints only errors: no progress and no log.")
    var silent = false
    @Flag(help: "Shows no progress.") var noProgressMeter = false
    @Flag(name: [.customShort("S"), .long], help: "Prints errors also with -s, as is always done.")
    var showError = false
    @Flag(name: .shortAndLong, help: "Ends with status 22 if the HTTP status is 400 or more, as is always done.")
    var fail = false
    @Flag(name: .shortAndLong, help: "Prints what is sent and what happens to standard error, without any secrets.")
    var verbose = false
    @Flag(help: "Prints the request as a command line of curl and does not send it.") var printCurl = false
    @Flag(help: "Shows secrets in what is printed of requests and heads; without it they are hidden.")
    var showSecrets = false

    func validate() throws {
        if let progress, TransferDisplay.Form(rawValue: progress) == nil {
            throw ValidationError("--progress must be bar, json or none.")
        }
    }

    /// Lines that are redrawn would mix with what `-v` prints.
    var form: TransferDisplay.Form {
        progress.flatMap { TransferDisplay.Form(rawValue: $0) } ?? (silent || verbose || noProgressMeter ? .none : .bar)
    }

    var isVerbose: Bool { verbose && !silent }

    /// Nil leaves it to the configuration.
    var logLevel: LogLevel? { silent ? .error : verbose ? .debug : nil }
}
