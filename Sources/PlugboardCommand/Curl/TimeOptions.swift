import ArgumentParser
import Plugboard

/// Options of curl about the time of the response's content, for the verbs that send and `download`.
///
/// They are no group of the parser, because each group takes it time at the start.
enum TimeOptions {
    static let remoteTime: ArgumentHelp = "Gives the file the time of Last-Modified."
    static let condition = ArgumentHelp(
        "Asks for what is newer than a date or a file, or older after a hyphen.", valueName: "time")

    /// These options as options of curl.
    static func group(remoteTime: Bool, condition: String?) -> CurlGroup {
        var group = CurlGroup()
        group.values["time-cond"] = condition
        group.flags["remote-time"] = remoteTime
        return group
    }
}
