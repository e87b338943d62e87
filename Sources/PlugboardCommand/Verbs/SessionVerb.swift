import ArgumentParser

struct SessionVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Lists, shows and removes sessions (--session NAME).",
        subcommands: [SessionList.self, SessionShow.self, SessionRemove.self])
}
