import ArgumentParser

struct SessionList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the names of all sessions.",
        usage: "plugboard session list [<options>]",
        discussion: """
            EXAMPLES:
              plugboard session list
            """)

    @OptionGroup(title: "Plugins") var plugins: PluginArguments

    func run() throws {
        let names = SessionFolder.names(try plugins.configuration().kernel)
        try ByteOutput.standard.write(names.map { "\($0)\n" }.joined())
    }
}
