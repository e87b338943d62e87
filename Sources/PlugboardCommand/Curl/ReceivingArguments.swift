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
    @Flag(help: "Decodes nothing: no content coding, also with --compressed, and no chunks.") var raw = false

    /// These options as options of curl.
    var group: CurlGroup {
        var group = CurlGroup()
        group.values = [
            "continue-at": continueAt, "max-filesize": maxFilesize, "etag-save": etagSave, "etag-compare": etagCompare,
        ].compactMapValues { $0 }
        group.flags = [
            "remote-header-name": remoteHeaderName, "remove-on-error": removeOnError, "raw": raw, "clobber": !noClobber,
        ]
        return group
    }
}
