import ArgumentParser

struct ConfigVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Finds, writes, shows and checks configurations.",
        subcommands: [ConfigPath.self, ConfigShow.self, ConfigInit.self, ConfigEdit.self, ConfigCheck.self])
}
