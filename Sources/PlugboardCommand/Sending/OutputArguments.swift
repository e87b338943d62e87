import ArgumentParser
import PlugboardDownloads

/// The options of output.
struct OutputArguments: ParsableArguments {
    @Option(
        name: .shortAndLong, parsing: .unconditionalSingleValue,
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
    @Flag(help: "Stops at the first request that fails.") var failEarly = false
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The folder of the file of -o or -O.", valueName: "folder"),
        completion: .directory)
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
    @Flag(help: "Prints how long each step took to standard error.") var timing = false
    @Flag(
        name: [.long, .customLong("check-status")],
        help: "Ends with status 22 if the HTTP status is 400 or more, and writes the body all the same.")
    var failWithBody = false
    @Flag(name: .shortAndLong, help: "Prints only errors: no progress and no log.") var silent = false
    @Flag(name: [.customShort("S"), .long], help: "Has no effect: errors are always printed.")
    var showError = false
    @Flag(help: "Shows no progress.") var noProgressMeter = false
    @Flag(name: [.customShort("#"), .long], help: "Has no effect: progress on a terminal is always a bar.")
    var progressBar = false
    @Flag(name: [.customShort("N"), .long], help: "Has no effect: bytes are always written at once.")
    var noBuffer = false

    @Flag(help: "Shows secrets, which -v and the --print options hide.") var showSecrets = false
    @Option(
        help: ArgumentHelp(
            "What is written: H and B are the request's head and body, h and b the response's; without it b. The "
                + "request is that of the last attempt, without the values of secret fields.", valueName: "HBhb"))
    var print: String?
    @Option(
        help: ArgumentHelp(
            "How JSON is written: all (format and colors), format, colors or none; without it, all on a terminal.",
            valueName: "form"))
    var pretty: String?
    @Flag(help: "Prints the request and does not send it.") var offline = false
    @Flag(help: "Prints the request as a command line of curl and does not send it.") var printCurl = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Prints the request as a definition of this name for plugboard call and does not send it.",
            valueName: "name"))
    var printDefinition: String?
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
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The most bytes that a body may have: 500k, 2M.", valueName: "size")
    )
    var maxFilesize: String?
    @Option(
        parsing: .unconditional, help: ArgumentHelp("Writes the response's ETag to a file.", valueName: "file"),
        completion: .file())
    var etagSave: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Sends the ETag in this file as If-None-Match.", valueName: "file"),
        completion: .file())
    var etagCompare: String?
    @Flag(help: "Decodes nothing: no content coding, also with --compressed, and no chunks.") var raw = false
    @OptionGroup var transfer: TransferArguments
    @Flag(name: [.customShort("R"), .long], help: TimeOptions.remoteTime) var remoteTime = false
    @Option(
        name: [.customShort("z"), .customLong("time-cond")], parsing: .unconditional, help: TimeOptions.condition)
    var condition: String?

    func validate() throws {
        if let print, print.contains(where: { Part(rawValue: $0) == nil }) {
            throw ValidationError(
                "--print must be letters of HBhb: H and B are the request's head and body, h and b the response's.")
        }
        if let pretty, !["all", "format", "colors", "none"].contains(pretty) {
            throw ValidationError("--pretty must be all, format, colors or none.")
        }
        guard [offline, printCurl, printDefinition != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give only one of --offline, --print-curl and --print-definition.")
        }
        if output.contains("") { throw ValidationError("-o needs the name of a file.") }
        if remoteHeaderName, !remoteNameAll, !outputs.contains(.remoteName) {
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
        var group = CurlGroup()
        group.values["continue-at"] = continueAt
        group.values["max-filesize"] = maxFilesize
        group.values["etag-save"] = etagSave
        group.values["etag-compare"] = etagCompare
        group.flags = [
            "remote-header-name": remoteHeaderName, "remove-on-error": removeOnError, "raw": raw, "clobber": !noClobber,
            "create-dirs": createDirs, "fail": fail, "fail-with-body": failWithBody,
        ]
        group.add(transfer.group)
        group.add(TimeOptions.group(remoteTime: remoteTime, condition: condition))
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
        // `SafeName` would name the file of a URL without a name, too.
        let path = try group.path(
            of: target, remoteName: CurlURL.fileName(of: url) == nil ? nil : SafeName.from(url: url))
        let isForReaders = path == nil && ByteOutput.standard.isTerminal
        return try ResponseReceiver(
            group, path, isFirst: isFirst, layout: layout ?? (isForReaders ? .forTerminals : nil),
            showingSecrets: showSecrets)
    }
}
