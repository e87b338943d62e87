import ArgumentParser

struct ConfigEdit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Opens a configuration in an editor, then checks it.",
        discussion: """
            The editor is that of VISUAL, else of EDITOR, else vi. Without FILE it opens
            the configuration that plugboard config path shows. Ends as config check does.

            EXAMPLES:
              plugboard config edit
              EDITOR=nano plugboard config edit plugboard.json
            """)

    @Argument(help: ArgumentHelp("The configuration.", valueName: "file"), completion: .file()) var file: String?

    func run() throws {
        if let file { return try edit(file) }
        let found = try ConfigPath.required()
        guard try found.exists else {
            throw CommandFailure(.usage, "\(found.path) does not exist. plugboard config init writes it.")
        }
        try edit(found.path)
    }

    private func edit(_ path: String) throws {
        try Editor.edit(path)
        try ConfigCheck.check(path)
    }
}
