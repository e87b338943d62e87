import ArgumentParser
import Plugboard

/// Options of curl about how a response is received and kept, for the verbs that send one request.
struct ReceivingArguments: ParsableArguments {
    @Option(
        name: [.customShort("C"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Continues at this byte and appends to the file; - is the file's size.", valueName: "offset"))
    var continueAt: String?
    @Flag(
        name: [.customShort("J"), .long], help: "The server names the file of -O; a file that exists is not replaced.")
    var remoteHeaderName = false
    @Flag(name: [.customShort("R"), .long], help: "Gives the file the time of Last-Modified.") var remoteTime = false
    @Flag(help: "Leaves a file that exists, and writes to file.1, file.2 and so on.") var noClobber = false
    @Flag(help: "Removes the file if the transfer fails.") var removeOnError = false
    @Option(help: ArgumentHelp("The most bytes that a body may have: 500k, 2M.", valueName: "size"))
    var maxFilesize: String?
    @Option(help: ArgumentHelp("Writes the response's ETag to a file.", valueName: "file"), completion: .file())
    var etagSave: String?
    @Option(
        help: ArgumentHelp("Sends the ETag in this file as If-None-Match.", valueName: "file"),
        completion: .file())
    var etagCompare: String?
    @Option(
        name: [.customShort("z"), .customLong("time-cond")], parsing: .unconditional,
        help: ArgumentHelp(
            "Asks for what is newer than a date or a file, or older after a hyphen.", valueName: "time"))
    var time: String?
    @Flag(help: "Decodes no content coding, also with --compressed.") var raw = false
    @Option(help: ArgumentHelp("The most bytes in a second, both ways: 500k, 2M.", valueName: "speed"))
    var limitRate: String?
    @Option(
        name: [.customShort("Y"), .long],
        help: ArgumentHelp("Ends a transfer that is slower for the time of -y.", valueName: "speed"))
    var speedLimit: String?
    @Option(
        name: [.customShort("y"), .long],
        help: ArgumentHelp(
            "The time of -Y, 30 s without it; alone, a time in which nothing comes.", valueName: "seconds"))
    var speedTime: String?
    @Option(
        help: ArgumentHelp("A file for errors and notes; - is standard output.", valueName: "file"),
        completion: .file())
    var stderr: String?

    @Option(
        help: ArgumentHelp("Writes what is sent and received to a file, in digits and as text.", valueName: "file"),
        completion: .file())
    var trace: String?
    @Option(help: ArgumentHelp("The same as text alone.", valueName: "file"), completion: .file())
    var traceAscii: String?

    /// The same as options of curl.
    var group: CurlGroup {
        var group = CurlGroup()
        group.values = [
            "continue-at": continueAt, "max-filesize": maxFilesize, "etag-save": etagSave, "etag-compare": etagCompare,
            "time-cond": time, "limit-rate": limitRate, "speed-limit": speedLimit, "speed-time": speedTime,
            "trace": trace, "trace-ascii": traceAscii,
        ].compactMapValues { $0 }
        group.flags = [
            "remote-header-name": remoteHeaderName, "remote-time": remoteTime, "remove-on-error": removeOnError,
            "raw": raw, "clobber": !noClobber,
        ]
        return group
    }
}
