import ArgumentParser

struct ConfigVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Checks configurations.", subcommands: [ConfigCheck.self])
}
