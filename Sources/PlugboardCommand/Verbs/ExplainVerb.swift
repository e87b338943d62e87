import ArgumentParser
import JSON
import Plugboard

struct ExplainVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Sends a request, and shows what each plugin does with it.",
        discussion: """
            A line a call of a hook, in order: when, which plugin, what it decided, how long it took, and which parts of the
            heads it changed; and the attempts on the network. Values of fields are not shown.
            With --dry-run nothing is sent: what comes before the first attempt is shown, and requests of plugins' own, such as
            a token's, fail.

            EXAMPLES:
              plugboard explain https://example.com/ --config plugboard.json
              plugboard explain https://example.com/ --plugin redirect --dry-run --json
              plugboard explain https://example.com/ --config plugboard.json --trace trace.json   # for ui.perfetto.dev
            """)

    @Argument(help: ArgumentHelp("An absolute http or https URL.", valueName: "url")) var url: String
    @Option(name: [.customShort("X"), .long], help: "The method.") var method = "GET"
    @Option(name: .shortAndLong, help: ArgumentHelp("The body, as it is.", valueName: "text")) var data: String?
    @OptionGroup var arguments: RequestArguments
    @Flag(help: "Sends nothing.") var dryRun = false
    @Flag(help: "Writes JSON.") var json = false
    @Option(help: ArgumentHelp("Writes a trace for Perfetto and its kin to a file.", valueName: "file"))
    var trace: String?

    func run() async throws {
        let configuration = try arguments.plugins.configuration()
        let request = try arguments.request(
            Method(method), url, data.map { BodyArguments.Content(body: .text($0), type: "application/octet-stream") })
        let dry = dryRun ? DryTransport() : nil
        let kernel = try Kernel(
            configuration: configuration, loader: PluginArguments.loader(for: configuration), transport: dry)
        try arguments.check(request, kernel)
        let explanation = await Explanation.observe(request, kernel, configuration, dryRun: dry)
        await kernel.shutDown(within: dryRun ? .zero : .seconds(5))
        let output = ByteOutput.standard
        try output.write(
            json
                ? JSONText.write(explanation.json, isForTerminal: output.isTerminal) + "\n" : explanation.text)
        if let trace {
            try ByteOutput(path: trace).write(JSONWriter.write(explanation.chromeTrace) + "\n")
        }
        if let error = explanation.failure { throw error }
    }
}
