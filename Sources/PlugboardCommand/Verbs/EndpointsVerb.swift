import ArgumentParser

struct EndpointsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "endpoints", abstract: "Lists and shows definitions of endpoints.",
        subcommands: [EndpointsList.self, EndpointsShow.self])
}
