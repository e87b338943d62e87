import ArgumentParser

struct ConfigVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Looks at configurations.", subcommands: [ConfigCheck.self])
}
