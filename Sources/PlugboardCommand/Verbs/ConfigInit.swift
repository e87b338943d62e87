import ArgumentParser

struct ConfigInit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Writes a configuration to begin with.",
        discussion: """
            It enables the plugins redirect, decode, retry and cookies, and explains itself
            in comments. Only its owner can read the file. Without FILE it is the one that
            plugboard config path shows, which all verbs use from then on.

            EXAMPLES:
              plugboard config init
              plugboard config init plugboard.json
            """)

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file()) var file: String?
    @Flag(help: "Replaces a file that exists.") var force = false

    func run() throws {
        let path = try file ?? ConfigPath.required().path
        try ConfigurationStarter.write(to: path, replaces: force)
        try ByteOutput.standard.write("\(path): written\n")
    }
}
