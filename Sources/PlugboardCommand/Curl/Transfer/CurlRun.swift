import Plugboard
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs all transfers of a command line of curl, one after another.
struct CurlRun {
    private let line: CurlLine
    /// The transfers so far.
    private var count = 0
    private var failure: CommandFailure?

    init(_ line: CurlLine) { self.line = line }

    /// Throws the failure of the last transfer, after its message.
    mutating func run() async throws {
        // The last of all groups counts.
        if let file = line.groups.compactMap({ $0.values["stderr"] }).last { try CurlRun.sendErrors(to: file) }
        for group in line.groups where try await run(group) { break }
        if let failure { throw CommandFailure(failure.status, nil) }
    }

    private static func sendErrors(to file: String) throws(CommandFailure) {
        if file == "-" {
            dup2(STDOUT_FILENO, STDERR_FILENO)
            return
        }
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            return StandardError.warn("--stderr: \(file) cannot be written: \(systemText(errno))")
        }
        dup2(descriptor, STDERR_FILENO)
        close(descriptor)
    }

    /// Returns true if no further transfer may be made.
    private mutating func run(_ group: CurlGroup) async throws -> Bool {
        let words = try CurlWords.of(group)
        var configuration = try words.configuration()
        configuration.kernel.logLevel = words.output.verbose ? .debug : .error
        var catalog = Catalog.bundled
        if words.output.verbose {
            WireOutput.begin(for: &configuration, &catalog, showingSecrets: words.output.showSecrets)
        }
        var (ends, own) = (false, self)
        try await Kernel.whileRunning(configuration, catalog: catalog) { kernel in
            try await words.arguments.cookies.whileUsed(in: kernel, jar: nil) {
                ends = try await own.runAll(group, words, kernel)
            }
        }
        self = own
        if let jar = words.arguments.cookies.jar, jar != "-" { try CurlJar.complete(jar) }
        return ends
    }

    private mutating func runAll(_ group: CurlGroup, _ words: CurlWords, _ kernel: Kernel) async throws -> Bool {
        for (index, text) in group.urls.enumerated() {
            let pattern: URLPattern
            do throws(CommandFailure) {
                pattern = try URLPattern(text, isLiteral: group["globoff"])
            } catch {
                return note(error, group)
            }
            let upload = index < group.uploads.count ? group.uploads[index] : nil
            for part in 0..<pattern.count {
                let (url, values) = pattern.url(at: part)
                var result: CommandFailure?
                do {
                    let place = try group.place(index, url, upload, values)
                    let transfer = try transfer(group, words, url, upload, place)
                    if try await !transfer.request.prints() { result = try await transfer.run(in: kernel) }
                } catch {
                    result = CommandFailure(of: error)
                }
                count += 1
                if note(result, group) { return true }
            }
        }
        return false
    }

    /// Prints a failure. Returns true if no further transfer may be made.
    private mutating func note(_ result: CommandFailure?, _ group: CurlGroup) -> Bool {
        failure = result
        guard let result else { return false }
        if !group["silent"] || group["show-error"], let message = result.message { StandardError.say(message) }
        // A failure without a message is that of a reader that has gone.
        return group["fail-early"] || result.message == nil || [.interrupted, .usage].contains(result.status)
    }

    private func transfer(
        _ group: CurlGroup, _ words: CurlWords, _ url: String, _ upload: String?, _ place: String?
    ) throws -> CurlTransfer {
        let offset = try group.offset(of: place)
        var manner = CurlOutput.Manner()
        manner.makesFolders = group["create-dirs"]
        manner.keepsExisting = group.flags["clobber"] == false
        manner.appends = offset > 0
        manner.mode = group.values["create-file-mode"].flatMap { mode_t($0, radix: 8) }
        var heads: ByteOutput?
        if let file = group.values["dump-header"] {
            heads = file == "-" ? .standard : try ByteOutput(path: file, count == 0 ? O_TRUNC : O_APPEND)
        }
        if group["remote-header-name"], group["include"] || group["head"] {
            throw CommandFailure(.usage, "curl: -i and -J cannot be combined.")
        }
        return CurlTransfer(
            request: try CurlRequest(group, words, url: url, upload: upload, offset: offset),
            output: CurlOutput(place, manner), condition: try CurlCondition(group), heads: heads,
            writeOut: try group.values["write-out"].map { try WriteOut($0) }, number: count)
    }
}

extension CurlGroup {
    /// The file for the response to the URL at this index; nil for standard output.
    fileprivate func place(
        _ index: Int, _ url: String, _ upload: String?, _ values: [String]
    ) throws(CommandFailure) -> String? {
        let output = index < outputs.count ? outputs[index] : self["remote-name-all"] ? .remoteName : nil
        let name: String
        switch output {
        case nil: return nil
        case .file(let text): name = URLPattern.name(text, with: values)
        case .remoteName:
            let absolute = CurlURL.absolute(url, scheme: "http", isPathKept: self["path-as-is"])
            guard let last = CurlURL.fileName(of: absolute) else {
                throw CommandFailure(.write, "curl: the URL has no name of a file for -O.")
            }
            name = last
        }
        if name == "-" { return nil }
        return self.values["output-dir"].map { "\($0)/\(name)" } ?? name
    }

    /// How many bytes of the content are there already.
    fileprivate func offset(of place: String?) throws(CommandFailure) -> Int {
        guard let text = values["continue-at"] else { return 0 }
        guard uploads.isEmpty else {
            throw CommandFailure(
                .usage, "curl: --continue-at cannot be used with -T; plugboard upload continues uploads.")
        }
        if text != "-" { return try number("continue-at") ?? 0 }
        guard values["range"] == nil else { throw CommandFailure(.usage, "curl: give -C or -r, not both.") }
        var entry = stat()
        guard let place, stat(place, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int(entry.st_size)
    }
}
