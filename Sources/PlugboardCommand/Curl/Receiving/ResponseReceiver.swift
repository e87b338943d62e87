import Plugboard
import PlugboardDownloads
import PlugboardKit
import PlugboardSystem

/// Writes a response by the options that the verbs and `plugboard curl` have in common, such as `-o`, `-f`, `-C`, `-J`
/// and `--etag-save`.
struct ResponseReceiver {
    private let group: CurlGroup
    let file: ResponseFile
    private let writer: ResponseWriter
    /// Where `--dump-header` writes.
    private let heads: ResponseWriter?
    private let headFile: ResponseFile?
    let condition: CurlCondition
    /// The first byte that is wanted, of `--continue-at`.
    let offset: Int
    /// The most bytes of a body; nil for no limit.
    private let limit: Int?

    /// Reads the file of `--etag-compare`. Blocks.
    ///
    /// - Parameters:
    ///   - place: The path of the file; nil and `-` are standard output.
    ///   - isFirst: Whether the file of `--dump-header` begins with this response.
    ///   - layout: The layout of JSON.
    init(
        _ group: CurlGroup, _ place: String?, isFirst: Bool = true, layout: JSONLayout? = nil, showingSecrets: Bool
    ) throws(CommandFailure) {
        self.group = group
        offset = try group.offset(of: place)
        limit = try group.bytes("max-filesize")
        var manner = ResponseFile.Manner()
        manner.makesFolders = group["create-dirs"]
        manner.keepsExisting = group.flags["clobber"] == false
        manner.appends = offset > 0
        manner.mode = try group.fileMode
        file = ResponseFile(place, manner)
        writer = ResponseWriter(file, layout: layout, showingSecrets: showingSecrets)
        var added = ResponseFile.Manner()
        added.appends = !isFirst
        headFile = group.values["dump-header"].map { ResponseFile($0 == "-" ? nil : $0, added) }
        heads = headFile.map { ResponseWriter($0, showingSecrets: showingSecrets) }
        condition = try CurlCondition(group)
    }

    /// Makes the files that exist even if no response comes. Call this before the request is sent.
    func begin() throws(CommandFailure) {
        try file.begin()
        try headFile?.complete()
        try condition.begin()
    }

    /// Adds the range of `--continue-at` to a request without a body.
    func addRange(to request: inout Request) throws(CommandFailure) {
        guard offset > 0, [.get, .head].contains(request.method) else { return }
        guard !request.fields.contains(.range) else { throw CommandFailure(.usage, "Give -C or -r, not both.") }
        request.fields.append(.range, "bytes=\(offset)-")
    }

    /// Switches off what would decode the body, if `--raw` is given.
    func keepRaw(_ request: inout Request) {
        guard group["raw"] else { return }
        request.decode.isEnabled = false
        // Chunks are no content that other requests could get.
        request.attributes["cache.enabled"] = "false"
        request.options.keepsChunks = true
    }

    // MARK: The response

    /// Writes heads to the file of `--dump-header`, and before the body if they are shown.
    func write(_ heads: [ResponseHead], isShown: Bool) throws(CommandFailure) {
        try self.heads?.write(heads)
        if isShown { try writer.write(heads) }
    }

    func write(_ parts: Set<OutputArguments.Part>, of request: Request) async throws {
        try await writer.write(parts, of: request)
    }

    /// Writes the body, unless an option refuses the response. Throws the failure of a status even after the body is
    /// written.
    ///
    /// - Parameter wantsBody: Whether the body is written at all.
    func take(_ response: Response, of method: Method, wantsBody: Bool) async throws {
        let head = response.head
        let isWhole = head.status == 416 && offset > 0 && method == .get
        let isRefused = head.status >= 400 && !isWhole && (group["fail"] || group["fail-with-body"])
        let failure = CommandFailure(.status, "The server responded with status \(head.status).")
        if isRefused, group["fail"] { throw failure }
        try condition.save(head)
        if group["remote-header-name"], (200...399).contains(head.status),
            let name = ContentDisposition.name(in: head.fields)
        {
            SafeName.from(name: name).map(file.rename)
        }
        if let limit, response.body.length ?? 0 > limit { throw BodyWriter.tooLarge }
        let isOld = head.status == 304 || condition.excludes(head)
        if isOld { file.leave() }
        guard wantsBody, !isOld, try isFurther(response, method) else {
            response.body.source.release()
            if isRefused { throw failure }
            return
        }
        try await writer.write(response, limit: limit)
        if isRefused { throw failure }
    }

    /// Whether the body continues the file. False if the file is complete already; throws for any other body.
    private func isFurther(_ response: Response, _ method: Method) throws(CommandFailure) -> Bool {
        guard offset > 0, method == .get else { return true }
        if response.status == 416 { return false }
        if response[.contentRange] != nil || response.body.length == 0 { return true }
        if response.body.length == offset { return false }
        throw CommandFailure(.range, "The server does not send the rest of the body, which --continue-at needs.")
    }

    // MARK: The end

    /// Makes the file of a response without a body. Removes the file of a failure if `--remove-on-error` is given.
    func finish(_ head: ResponseHead?, _ failure: CommandFailure?) throws(CommandFailure) {
        guard failure == nil else {
            if group["remove-on-error"] { file.remove() }
            return
        }
        try file.complete()
        if group["remote-time"], let date = head.flatMap(CurlCondition.modified) { file.setTime(date) }
    }
}

extension CurlGroup {
    /// The mode of `--create-file-mode`; nil without this option.
    fileprivate var fileMode: mode_t? {
        get throws(CommandFailure) {
            guard let text = values["create-file-mode"] else { return nil }
            guard let mode = mode_t(text, radix: 8), mode <= 0o777 else {
                throw CommandFailure(.usage, "--create-file-mode must be a mode of three octal digits, such as 644.")
            }
            return mode
        }
    }

    /// How many bytes of the content the file has already.
    fileprivate func offset(of place: String?) throws(CommandFailure) -> Int {
        guard let text = values["continue-at"] else { return 0 }
        for (option, isGiven) in [
            ("--remove-on-error", self["remove-on-error"]), ("--no-clobber", flags["clobber"] == false),
            ("-J", self["remote-header-name"]),
        ] where isGiven {
            throw CommandFailure(.usage, "--continue-at and \(option) cannot be combined.")
        }
        guard uploads.isEmpty else {
            throw CommandFailure(
                .usage, "--continue-at cannot be used with -T; plugboard upload continues uploads.")
        }
        if text != "-" { return try number("continue-at") ?? 0 }
        guard values["range"] == nil else { throw CommandFailure(.usage, "Give -C or -r, not both.") }
        var entry = stat()
        guard let place, place != "-", stat(place, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int(entry.st_size)
    }
}
