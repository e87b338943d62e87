import ArgumentParser
import PlugboardKit

/// The verb whose words are a command line of curl. `Main` reads them, because curl's rules are not the parser's.
struct CurlVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "curl", abstract: "Runs a command line of curl.",
        usage: "plugboard curl [<options of curl>] <url> ...",
        discussion: """
            Takes the options of curl for HTTP, with curl's own rules: the method follows
            from -d, -F, -T, -I and -X, redirects are followed with -L alone, and only
            --compressed decodes. Options and URLs are in any order, short options can be
            joined, and long ones abbreviated. URLs can have {lists} and [1-9] ranges.

            No plugins run but decode for --compressed, and cookies for -c and files of -b.
            Neither a configuration nor ~/.curlrc is read; -K reads a file of options.

            Options for other protocols than HTTP are errors, and so are options that
            Plugboard does not have. If these are about TLS or about proxies, they are
            errors only for https URLs, or with a proxy.

            A program with the name curl that is a link to plugboard does the same.
            --print-definition NAME prints the request as a definition for plugboard call.

            EXAMPLES:
              plugboard curl -sSfL https://example.com/ -o page.html
              plugboard curl -X PUT -d @note.json https://example.com/notes/1
              plugboard curl -O 'https://example.com/part-[1-9].zip'
            """)

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("As for curl.", valueName: "words"))
    var words: [String] = []

    init() {}
    init(words: [String]) { self.words = words }

    func run() async throws {
        let line = try CurlLine(words)
        switch line.question {
        case .help: throw CleanExit.helpRequest(CurlVerb.self)
        case .version: throw CleanExit.message(Program.configuration.version)
        case nil: break
        }
        var run = CurlRun(line)
        try await run.run()
    }
}
