import ArgumentParser
import PlugboardDownloads

/// The options of output.
struct OutputArguments: ParsableArguments {
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Writes the body to a file; - is standard output.", valueName: "file"),
        completion: .file())
    var output: String?
    @Flag(
        name: [.customShort("O"), .long],
        help: "Writes the body to a file that is named as the last part of the URL's path.")
    var remoteName = false
    @Option(help: ArgumentHelp("The folder of the file of -o or -O.", valueName: "folder"), completion: .directory)
    var outputDir: String?
    @Flag(help: "Makes the folders of the file of -o or -O.") var createDirs = false
    @Flag(name: .shortAndLong, help: "Writes the response's head before its body; on a terminal without secrets.")
    var include = false
    @Flag(name: .shortAndLong, help: "Ends with status 22 and without the body if the HTTP status is 400 or more.")
    var fail = false
    @Flag(
        name: .shortAndLong,
        help: "Prints connections, TLS, all that is sent and what happens to standard error, without any secrets.")
    var verbose = false
    @Flag(help: "Prints how long each step took to standard error.")
    var timing = false
    @Flag(
        name: [.long, .customLong("check-status")],
        help: "Ends with status 22 if the HTTP status is 400 or more, and writes the body all the same.")
    var failWithBody = false
    @Flag(name: .shortAndLong, help: "Prints only errors: no progress and no log.")
    var silent = false
    @Flag(name: [.customShort("S"), .long], help: "Prints errors also with -s, as is always done.")
    var showError = false
    @Flag(help: "Shows no progress.") var noProgressMeter = false
    @Flag(name: [.customShort("#"), .long], help: "Shows progress as a bar, as terminals always get it.")
    var progressBar = false
    @Flag(name: [.customShort("N"), .long], help: "Writes what has come at once, as is always done.")
    var noBuffer = false

    @Flag(help: "Shows secrets, which -v and the --print options hide.")
    var showSecrets = false
    @OptionGroup var printing: PrintArguments
    @OptionGroup var receiving: ReceivingArguments
    @OptionGroup var transfer: TransferArguments
    @OptionGroup var time: TimeArguments

    func validate() throws {
        if output != nil && remoteName { throw ValidationError("Give -o or -O, not both.") }
        if receiving.remoteHeaderName, !remoteName { throw ValidationError("-J names the file of -O: give both.") }
    }

    /// The options as those of curl.
    var group: CurlGroup {
        var group = receiving.group
        group.add(transfer.group)
        group.add(time.group)
        group.flags["create-dirs"] = createDirs
        group.flags["fail"] = fail
        group.flags["fail-with-body"] = failWithBody
        return group
    }

    /// Takes the response to a request for this URL.
    func receiver(for url: String, _ group: CurlGroup) throws(CommandFailure) -> ResponseReceiver {
        let name = remoteName ? SafeName.from(url: url) : output
        let path = name.map { name in name == "-" ? name : outputDir.map { "\($0)/\(name)" } ?? name }
        let isForReaders = path == nil && ByteOutput.standard.isTerminal
        return try ResponseReceiver(
            group, path, layout: printing.layout ?? (isForReaders ? .forTerminals : nil), showingSecrets: showSecrets)
    }
}
