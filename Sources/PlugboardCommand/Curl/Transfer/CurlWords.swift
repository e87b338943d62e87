import ArgumentParser
import Plugboard
import PlugboardKit

/// The options of curl that are those of the verbs that send.
struct CurlWords: ParsableArguments {
    @OptionGroup var arguments: RequestArguments
    @OptionGroup var body: BodyArguments
    @OptionGroup var output: OutputArguments

    /// The options of a group.
    static func of(_ group: CurlGroup) throws -> CurlWords {
        do {
            let silent = group["silent"] ? ["--silent"] : []
            let meter = group.flags["progress-meter"] == false ? ["--no-progress-meter"] : []
            return try parse(OptionWords.replaced(group.words + silent + meter))
        } catch {
            // The message is that of a value, because all names come from the table.
            throw CommandFailure(.usage, "curl: \(message(for: error))")
        }
    }

    /// The configuration for these options: no plugins but those that they need.
    func configuration() throws -> Configuration {
        var configuration = Configuration()
        try arguments.curl.enable(in: &configuration)
        try arguments.cookies.enable(in: &configuration)
        if !arguments.connection.decidesTrust { try configuration.trustEnvironment() }
        return configuration
    }
}
