import ArgumentParser
import Plugboard
import PlugboardKit

/// The options of curl that are those of the verbs that send.
///
/// It is a command that is never run: the parser would put other arguments into a command of its own, and in debug
/// builds each level takes the parser's checks three times as long.
struct CurlWords: ParsableCommand {
    static let configuration = CommandConfiguration(_superCommandName: Program.name)

    @OptionGroup var arguments: RequestArguments
    @OptionGroup var body: BodyArguments
    @OptionGroup var output: OutputArguments

    /// The options of a group for the parser.
    static func text(of group: CurlGroup) -> [String] {
        let silent = group["silent"] ? ["--silent"] : []
        let meter = group.flags["progress-meter"] == false ? ["--no-progress-meter"] : []
        return group.words + silent + meter
    }

    /// The options that the parser reads.
    static func of(_ text: [String]) throws -> CurlWords {
        do {
            return try parse(OptionWords.replaced(text))
        } catch {
            // The message is that of a value, because all names come from the table.
            throw CommandFailure(.usage, "curl: \(OptionHints.withoutValue(message(for: error)))")
        }
    }

    /// The configuration for these options, with only the plugins that they need.
    func configuration() throws -> Configuration {
        var configuration = Configuration()
        try arguments.curl.enable(in: &configuration)
        try arguments.cookies.enable(in: &configuration)
        if !arguments.connection.decidesTrust { try configuration.trustEnvironment() }
        return configuration
    }
}
