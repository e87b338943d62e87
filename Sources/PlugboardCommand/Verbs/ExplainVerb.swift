import ArgumentParser
import JSON
import Plugboard

struct ExplainVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Sends a request, and shows what plugins do with it.",
        discussion: """
            A line a call of a hook, by its beginning: when, which plugin, what it decided,
            how long it took, and which parts of the heads it changed; the attempts on the
            network; and, indented, what plugins sent themselves. Then the plugins that
            take no part, and why. Values of fields are not shown.

            With --dry-run nothing is sent: what comes before the first attempt is shown,
            and requests of plugins' own, such as a token's, fail, which is no failure of
            the command.

            With --json, one object; times are nanoseconds from the beginning:
              method, url, attributes, nanoseconds, sent; status and bodyLength, or
              failure (code, reason)
              plugins  ids, from the outermost to the innermost
              absent   id, path, reason (unlisted, disabled, safe, request, origin),
                       and perhaps the place in the configuration
              steps    step (call, attemptBegan, attemptEnded, event, subRequest,
                       completed), at, exchange (0, or a sub-request's number), and
                       what belongs to each: a call has its number; a subRequest has
                       parent, the exchange it is for, and call, that which asked

            EXAMPLES:
              plugboard explain https://example.com/ --config plugboard.json
              plugboard explain https://example.com/ --plugin redirect --dry-run --json
              plugboard explain https://example.com/ --trace trace.json
            """)

    @Argument(help: ArgumentHelp("An absolute http or https URL.", valueName: "url")) var url: String
    @Option(name: [.customShort("X"), .long], help: "The method.") var method = "GET"
    @Option(name: .shortAndLong, help: ArgumentHelp("The body, as it is.", valueName: "text")) var data: String?
    @OptionGroup var arguments: RequestArguments
    @Flag(help: "Sends nothing: shows what comes before that.") var dryRun = false
    @Flag(help: "Writes JSON.") var json = false
    @Option(help: ArgumentHelp("Writes a trace for https://ui.perfetto.dev to a file.", valueName: "file"))
    var trace: String?

    func run() async throws {
        let configuration = try arguments.plugins.configuration()
        let request = try arguments.request(
            Method(method), url, data.map { BodyArguments.Content(body: .text($0), type: "application/octet-stream") })
        let dry = dryRun ? DryTransport() : nil
        let lineup = try PluginArguments.lineup(of: configuration)
        let file = try trace.map { try ByteOutput(path: $0) }
        let explanation = try await Kernel.whileRunning(configuration, transport: dry) { kernel in
            try arguments.check(request, kernel)
            return await Explanation.observe(
                request, kernel, configuration, Absence(of: request, from: lineup, configuration), dryRun: dry)
        }
        let output = ByteOutput.standard
        try output.write(
            json
                ? JSONText.write(explanation.json, isForTerminal: output.isTerminal) + "\n" : explanation.text)
        try file?.write(JSONWriter.write(explanation.chromeTrace) + "\n")
        if let error = explanation.failure, explanation.dryPlugin == nil { throw error }
    }
}
