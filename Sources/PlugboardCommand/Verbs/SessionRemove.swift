import ArgumentParser

struct SessionRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Removes a session with its cookies.",
        usage: "plugboard session remove [<options>] <name>",
        discussion: """
            EXAMPLES:
              plugboard session remove work
            """)

    @Argument(help: ArgumentHelp("The session.", valueName: "name")) var name: String
    @OptionGroup(title: "Plugins") var plugins: PluginArguments

    func run() throws {
        try SessionFolder.existing(name, try plugins.configuration().kernel).remove()
    }
}
