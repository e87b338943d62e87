import ArgumentParser
import Plugboard

/// Options of curl about any transfer, for the verbs that send, `download` and `upload`: what is told of it, and how
/// fast it is.
struct TransferArguments: ParsableArguments {
    @Option(
        name: [.customShort("D"), .long], parsing: .unconditional,
        help: ArgumentHelp("A file for the response's head; - is standard output.", valueName: "file"),
        completion: .file())
    var dumpHeader: String?
    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp(
            "Writes a text at the end, with curl's variables: '%{http_code} %{time_total}\\n'; @FILE is a file.",
            valueName: "format"))
    var writeOut: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The most bytes in a second, both ways: 500k, 2M, 8MiB.", valueName: "speed"))
    var limitRate: String?
    @Option(
        name: [.customShort("Y"), .long], parsing: .unconditional,
        help: ArgumentHelp("Ends a transfer that stays below this speed for the time of -y.", valueName: "speed"))
    var speedLimit: String?
    @Option(
        name: [.customShort("y"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "The time for -Y, 30 s by default. Without -Y: the longest time without a byte.", valueName: "seconds"))
    var speedTime: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A file for errors and notes; - is standard output.", valueName: "file"),
        completion: .file())
    var stderr: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Writes what is sent and received to a file instead of -v, in digits and as text.", valueName: "file"),
        completion: .file())
    var trace: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Writes what --trace does, as text alone.", valueName: "file"), completion: .file())
    var traceAscii: String?

    /// These options as options of curl.
    var group: CurlGroup {
        var group = CurlGroup()
        group.values["dump-header"] = dumpHeader
        group.values["write-out"] = writeOut
        group.values["limit-rate"] = limitRate
        group.values["speed-limit"] = speedLimit
        group.values["speed-time"] = speedTime
        group.values["stderr"] = stderr
        group.values["trace"] = trace
        group.values["trace-ascii"] = traceAscii
        return group
    }
}
