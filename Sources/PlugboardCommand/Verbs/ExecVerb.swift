import ArgumentParser
import Plugboard

struct ExecVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec", _superCommandName: Program.name,
        abstract: "Sends the requests of another program, as JSON Lines.",
        usage: "plugboard exec [<options>]",
        discussion: """
            Reads one JSON object per line from standard input, and writes one reply per
            line to standard output, in any order. An unknown field, or a value of a wrong
            type, is an error of the kind "invalid".

            Ends with status 0 at the end of its input, and with 23 if a reply cannot be
            written. SIGINT and SIGTERM cancel the requests in progress: each gets a reply
            with an error of the kind "aborted", and the status is 130. A reader that takes
            nothing for a quarter of a second then gets no more.

            The plugins redirect, decode and validator are enabled unless the configuration
            mentions them.

            EXAMPLES:
              echo '{"id": "1", "url": "https://example.com/"}' | plugboard exec
              plugboard exec --config plugboard.json < requests > replies
            """)

    @OptionGroup(title: "Plugins") var plugins: PluginArguments
    @Option(
        help: ArgumentHelp("The folder in which plugins store their data.", valueName: "folder"), completion: .directory
    )
    var state: String?

    func run() async throws {
        try StandardInput.claim(for: "exec")
        var configuration = try plugins.configuration()
        try configuration.trustEnvironment()
        for id in ["decode", "redirect", "validator"] where Catalog.bundled.descriptor(id) != nil {
            if !configuration.names(id) { configuration.plugins.append(PluginEntry(id)) }
        }
        if let state { configuration.kernel.dataDirectory = state }
        try await Kernel.whileRunning(configuration, listens: true) { try await serve($0) }
    }

    /// Serves until the input ends. A signal cancels the exchanges in progress, whose replies are then `aborted`.
    private func serve(_ kernel: Kernel) async throws {
        let interrupt = Interrupt()
        let serving = Task { try await Driver(kernel).run(StandardInputLines(limit: Driver.limit)) }
        interrupt.cancels { serving.cancel() }
        try await serving.value
        withExtendedLifetime(interrupt) {}
        if serving.isCancelled { throw CommandFailure(.interrupted, nil) }
    }
}
