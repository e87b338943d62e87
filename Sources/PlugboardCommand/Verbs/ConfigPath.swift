import ArgumentParser
import PlugboardSystem

struct ConfigPath: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Shows which configuration is used without --config.",
        discussion: """
            It is the file that the variable PLUGBOARD_CONFIG names, which is none where
            it is empty; else plugboard/plugboard.json in the user's configuration folder,
            $XDG_CONFIG_HOME or ~/.config. The path goes to standard output, the reason
            to standard error.

            EXAMPLES:
              plugboard config path
              PLUGBOARD_CONFIG=work.json plugboard config path
            """)

    func run() throws {
        guard let found = FoundConfiguration.current else {
            return StandardError.say("No configuration is used: \(ConfigPath.absence).")
        }
        let note =
            try found.usablePath() == nil
            ? "It does not exist, so no configuration is used. plugboard config init writes one."
            : "It is \(found.reason)."
        try ByteOutput.standard.write(found.path + "\n")
        StandardError.say(note)
    }

    /// Why nothing can be found.
    static var absence: String {
        environment(FoundConfiguration.variable) != nil
            ? "\(FoundConfiguration.variable) is empty" : "neither XDG_CONFIG_HOME nor HOME names a folder"
    }

    /// The found configuration, for verbs that need one, whether there is a file or not.
    static func required() throws(CommandFailure) -> FoundConfiguration {
        guard let found = FoundConfiguration.current else {
            throw CommandFailure(.usage, "Give a file: \(absence).")
        }
        return found
    }
}
