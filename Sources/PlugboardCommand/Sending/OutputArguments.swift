import ArgumentParser
import PlugboardDownloads

/// The options of output.
struct OutputArguments: ParsableArguments {
    @Option(
        name: .shortAndLong, parsing: .singleValue,
        help: ArgumentHelp(
            "Writes the body to a file; - is standard output. Of several, each is for the URL in its place.",
            valueName: "file"),
        completion: .file())
    var output: [String] = []
    @Flag(
        name: [.customShort("O"), .long],
        help: "Writes the body to a file that is named as the last part of the URL's path; can be given for each URL.")
    var remoteName: Int
    @Flag(help: "Does what -O does for all URLs that have no -o or -O.") var remoteNameAll = false
    @Flag(help: "Ends with the first of several requests that fails.") var failEarly = false
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
        if receiving.remoteHeaderName, !remoteNameAll, !outputs.contains(.remoteName) {
            throw ValidationError("-J names the file of -O: give both.")
        }
    }

    /// The files of `-o` and `-O`, in the order of `RequestWords`.
    private var outputs: [CurlGroup.Output] {
        output.map { $0 == RequestWords.remoteName ? .remoteName : .file($0) }
            + repeatElement(.remoteName, count: remoteName)
    }

    /// The options as those of curl, for these URLs. Throws if there are more files than URLs.
    func group(for urls: [String], isLiteral: Bool = false) throws(CommandFailure) -> CurlGroup {
        var group = group
        (group.urls, group.outputs) = (urls, outputs)
        group.values["output-dir"] = outputDir
        group.flags["globoff"] = isLiteral
        group.flags["remote-name-all"] = remoteNameAll
        group.flags["fail-early"] = failEarly
        guard outputs.count <= urls.count else {
            throw CommandFailure(
                .usage,
                "There are more files (-o, -O) than URLs: \(outputs.count) and \(urls.count). Give each URL one file.")
        }
        return group
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

    /// Takes the response to a request.
    ///
    /// - Parameters:
    ///   - url: The request's URL, which is absolute.
    ///   - isFirst: Whether the file of `--dump-header` begins with this response.
    func receiver(
        for target: CurlTarget, _ url: String, _ group: CurlGroup, isFirst: Bool
    ) throws(CommandFailure) -> ResponseReceiver {
        let path = try group.path(of: target, remoteName: SafeName.from(url: url))
        let isForReaders = path == nil && ByteOutput.standard.isTerminal
        return try ResponseReceiver(
            group, path, isFirst: isFirst, layout: printing.layout ?? (isForReaders ? .forTerminals : nil),
            showingSecrets: showSecrets)
    }
}
