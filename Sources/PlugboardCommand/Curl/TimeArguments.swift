import ArgumentParser
import Plugboard

/// Options of curl about the time of the response's content, for the verbs that send and `download`.
struct TimeArguments: ParsableArguments {
    @Flag(name: [.customShort("R"), .long], help: "Gives the file the time of Last-Modified.") var remoteTime = false
    @Option(
        name: [.customShort("z"), .customLong("time-cond")], parsing: .unconditional,
        help: ArgumentHelp(
            "Asks for what is newer than a date or a file, or older after a hyphen.", valueName: "time"))
    var condition: String?

    /// These options as options of curl.
    var group: CurlGroup {
        var group = CurlGroup()
        group.values["time-cond"] = condition
        group.flags["remote-time"] = remoteTime
        return group
    }
}
