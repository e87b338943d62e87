import ArgumentParser
import PlugboardCore
import PlugboardCurl

/// The command `plugboard` with its verbs.
struct Program: AsyncParsableCommand {
    static let version = Kernel.version

    /// A verb that names it as its super-command is parsed faster: the parser does not look for its own option for
    /// completion scripts, which only the whole program has.
    static let name = "plugboard"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Sends HTTP requests through plugins that a configuration enables.",
        usage: """
            plugboard VERB …
            plugboard PLUGIN-ID COMMAND [name=value …|JSON]
            """,
        discussion: """
            Bodies and results go to standard output, everything else to standard error.

            EXAMPLES:
              plugboard get https://example.com/
              plugboard post https://example.com/topics --json '{"title": "Swift"}'
              plugboard get https://example.com/big.iso -o big.iso --config plugboard.json
              plugboard call getTopic topic=17 --openapi api.json
              plugboard plugins order --config plugboard.json
              plugboard explain https://example.com/ --config plugboard.json
              plugboard config init
              plugboard config check plugboard.json
              echo '{"id": "1", "url": "https://example.com/"}' | plugboard exec

            EXIT STATUS:
            \(ExitStatus.table)
            """,
        version: versions,
        subcommands: [],
        groupedSubcommands: groups)

    static let groups = [
        CommandGroup(
            name: "Requests",
            subcommands: [
                GetVerb.self, HeadVerb.self, PostVerb.self, PutVerb.self, PatchVerb.self, DeleteVerb.self,
                AnyMethodVerb.self, CurlVerb.self, DownloadVerb.self, UploadVerb.self,
            ]),
        CommandGroup(name: "Sessions", subcommands: [SessionVerb.self]),
        CommandGroup(name: "Endpoints by name", subcommands: [CallVerb.self, EndpointsVerb.self]),
        CommandGroup(
            name: "Plugins and configurations",
            subcommands: [PluginsVerb.self, ExplainVerb.self, ConfigVerb.self]),
        CommandGroup(name: "Recorded exchanges", subcommands: [InspectVerb.self]),
        CommandGroup(name: "Other programs", subcommands: [ExecVerb.self, AttachVerb.self]),
        CommandGroup(name: "Documents", subcommands: [ValidateVerb.self, ManualVerb.self]),
    ]

    /// The verb of a name. A list of all verbs would take longer, because the runtime makes the tables of each.
    static func verb(_ name: String) -> (any ParsableCommand.Type)? {
        switch name {
        case "get": GetVerb.self
        case "head": HeadVerb.self
        case "post": PostVerb.self
        case "put": PutVerb.self
        case "patch": PatchVerb.self
        case "delete": DeleteVerb.self
        case "request": AnyMethodVerb.self
        case "curl": CurlVerb.self
        case "download": DownloadVerb.self
        case "upload": UploadVerb.self
        default: verbs.first { $0.configuration.commandName == name }
        }
    }

    /// The versions of the command and of libcurl, and the restrictions of that libcurl, one line each.
    private static var versions: String {
        let libcurl = CurlAbilities.current
        return (["plugboard \(version)", "libcurl \(libcurl.version)"] + libcurl.restrictions.map { "  \($0)" })
            .joined(separator: "\n")
    }

    static var verbs: [any ParsableCommand.Type] { groups.flatMap { $0.subcommands } }

    /// The first words that are not the id of a plugin, in their order.
    static var words: [String] { (verbs.compactMap { $0.configuration.commandName } + ["help"]).sorted() }
}
