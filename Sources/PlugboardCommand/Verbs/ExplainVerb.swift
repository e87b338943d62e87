import ArgumentParser
import Plugboard
import PlugboardJSON

struct ExplainVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", _superCommandName: Program.name,
        abstract: "Sends a request, and shows what plugins do with it.",
        discussion: """
            One line for each call of a hook, in the order of their beginnings: the time,
            the plugin, its verdict, how long it took, and which parts of the heads it
            changed. Attempts on the network have lines of their own, and the requests
            that plugins send are indented. Then the plugins that take part, with where
            each is enabled, and those that do not, with the reason. Values of header
            fields are not shown.

            With --dry-run nothing is sent: only what comes before the first attempt is
            shown. Requests that plugins send, for a token for example, fail then, and
            the command ends with status 0 all the same.

            With --json, one object; times are nanoseconds from the beginning:
              method, url, attributes, nanoseconds, sent; status and bodyLength, or
              failure (code, reason)
              plugins  id, given (where it is enabled) and perhaps path (without it:
                       linked), from the outermost to the innermost
              absent   id, path, reason (unlisted, disabled, safe, request, origin),
                       and perhaps the location in the configuration
              steps    step (call, attemptBegan, attemptEnded, event, subRequest,
                       completed), at, exchange (0, or a sub-request's number), and
                       what belongs to each: a call has its number; a subRequest has
                       parent, the exchange it is for, and call, that which asked

            EXAMPLES:
              plugboard explain https://example.com/ --config plugboard.json
              plugboard explain https://example.com/ --plugin redirect --dry-run --json
              plugboard explain https://example.com/ --trace trace.json
            """)

    @Argument(help: .url) var url: String
    @Option(name: [.customShort("X"), .long], parsing: .unconditional, help: "The method.") var method = "GET"
    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp("The body: a text, @FILE, or - for standard input.", valueName: "data"))
    var data: String?
    @OptionGroup var arguments: RequestArguments
    @Flag(help: "Sends nothing; shows what comes before sending.") var dryRun = false
    @Flag(help: "Writes JSON.") var json = false
    @Flag(help: "Prints the request as a command line of curl, without secrets, and does not send it.")
    var printCurl = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Writes a trace for https://ui.perfetto.dev to a file.", valueName: "file"),
        completion: .file())
    var trace: String?

    func validate() throws {
        if arguments.cookies.jar != nil {
            throw ValidationError("explain writes no cookie jar: leave --cookie-jar out.")
        }
    }

    func run() async throws {
        let configuration = try arguments.configuration(isDry: dryRun || printCurl)
        if dryRun { Session.current?.leave() }
        let request = try arguments.request(
            Method(method), url, against: configuration.kernel.baseURL,
            try data.map { data in
                BodyArguments.Content(
                    body: try InputArgument(data).body(for: "--data", isStreamed: printCurl),
                    type: "application/x-www-form-urlencoded")
            })
        if printCurl {
            let printing = RequestPrinting(arguments: arguments, configuration: configuration, showsSecrets: false)
            return try await Kernel.whileRunning(configuration, transport: DryTransport()) { kernel in
                try await printing.printCurl(request, data.flatMap { PrintedCurlBody(of: InputArgument($0)) }, kernel)
            }
        }
        let dry = dryRun ? DryTransport() : nil
        var keepSilent: Explanation.DryRun?
        if let dry { keepSilent = { dry.keepSilent() } }
        let resolved = try PluginArguments.resolved(of: configuration)
        let file = try trace.map { try ByteOutput(path: $0) }
        let explanation = try await Kernel.whileRunning(configuration, transport: dry) { kernel -> Explanation in
            try arguments.check(kernel)
            try await arguments.cookies.read(
                into: kernel, jar: request.attributes[CookieArguments.jarAttribute])
            // Detached sub-requests have up to five seconds.
            let patience: Duration = keepSilent == nil ? .seconds(5) : .zero
            return await Explanation.observe(request, kernel, dryRun: keepSilent, shutDownWithin: patience)
        }
        let absence = Absence(of: request, from: resolved, configuration)
        if json {
            try ByteOutput.standard.write(explanation.json(absence))
        } else {
            try ByteOutput.standard.write(explanation.table(locations: \.enabledAt) + absence.text)
        }
        try file?.write(JSONWriter.write(explanation.chromeTrace) + "\n")
        if let error = explanation.failure, explanation.dryPlugin == nil { throw error }
    }
}
