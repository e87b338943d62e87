import Plugboard
import PlugboardJSON
import PlugboardKit
import PlugboardSystem
import PlugboardUploads

/// Carries out `plugboard upload`.
struct Uploading: Sendable {
    let files: [String]
    let request: Request
    let resumption: Upload.Resumption
    private let metadata: [String: String]
    private let partSize: ByteCount?
    private let restarts: Bool
    private let allowsOtherOrigins: Bool
    let aborts: Bool
    private let parallel: Int
    let arguments: RequestArguments
    let configuration: Configuration
    let report: TransferReport
    private let display: TransferDisplay
    /// Whether the server gets digests of what is sent.
    private let verifies: Bool
    /// Whether the responses' bodies go to standard output.
    private let printsBodies: Bool

    init(_ verb: UploadVerb) throws {
        arguments = verb.arguments
        configuration = try arguments.configuration(isDry: verb.output.printCurl)
        let base = configuration.kernel.baseURL
        guard verb.files.count >= 2, let url = verb.files.last else {
            throw CommandFailure(.usage, "An upload needs a file and a URL. See plugboard upload --help.")
        }
        files = Array(verb.files.dropLast())
        guard (1...64).contains(verb.parallel) else {
            throw CommandFailure(.usage, "--parallel must be from 1 to 64.")
        }
        guard let resumption = Upload.Resumption(rawValue: verb.resumable) else {
            throw CommandFailure(.usage, "--resumable must be auto, draft, tus or none.")
        }
        partSize = try ByteCount.argument(verb.partSize, "--part-size")
        guard partSize?.bytes != 0 else { throw CommandFailure(.usage, "--part-size must be more than 0.") }
        var metadata: [String: String] = [:]
        for text in verb.metadata {
            guard let equals = text.firstIndex(of: "="), isToken(String(text[..<equals])) else {
                throw CommandFailure(.usage, "--metadata must be name=value.")
            }
            metadata[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        self.metadata = metadata
        self.resumption = resumption
        var request = try verb.arguments.request(Method(verb.method), url, against: base, nil)
        report = try TransferReport(verb.output, verb.transfer)
        try report.group.limitSpeed(of: &request.options)
        self.request = request
        guard
            files.count == 1 || resumption == .tus || resumption == .automatic || verb.method == "POST"
                || Uploading.isFolder(request.url)
        else {
            throw CommandFailure(.usage, "The URL must end in /, because there are several files.")
        }
        guard files.filter({ $0 == "-" }).count <= 1, !verb.abort || !files.contains("-") else {
            throw CommandFailure(.usage, "Standard input can be uploaded once, and leaves nothing to remove.")
        }
        restarts = verb.restart
        allowsOtherOrigins = verb.otherOrigins
        aborts = verb.abort
        parallel = verb.parallel
        display = TransferDisplay(verb.output.form, counting: "sent")
        verifies = verb.checksum
        printsBodies = verb.output.form != .json
    }

    /// Whether several files have URLs of their own, or a method that does not replace what is there.
    private func checkTargets(_ uploads: [Upload], _ resumption: Upload.Resumption) throws(CommandFailure) {
        guard resumption != .tus, request.method != .post, !aborts else { return }
        guard Set(uploads.map(\.request.url)).count == uploads.count else {
            throw CommandFailure(
                .usage,
                "Several files would replace each other, because the server does not speak tus and they have one URL. "
                    + "Give a URL that ends in /, and files with different names.")
        }
    }

    /// Whether files are put under their names below this URL.
    private static func isFolder(_ url: String) -> Bool { URLParts(url)?.path.utf8.last == UInt8(ascii: "/") }

    // MARK: Running

    func run() async throws {
        display.expect(files.count)
        var configuration = configuration
        var catalog = Catalog.bundled
        try report.begin(&configuration, &catalog)
        try await display.whileRunning(configuration, catalog: catalog, arguments) { try await all($0) }
    }

    /// Uploads all files, at most `parallel` at a time, and returns the first failure.
    private func all(_ kernel: Kernel) async throws(CommandFailure) -> CommandFailure? {
        if report.isVerbose { kernel.writePlugins() }
        var resumption = resumption
        var offer: UploadOffer?
        if resumption == .automatic {
            let sender = ObservedSender(kernel, report)
            do throws(PlugboardError) {
                offer = try await Upload(request, .bytes(.empty)).offer(by: sender)
                resumption = offer?.resumption ?? .automatic
            } catch {
                let failure = sender.slowness ?? CommandFailure(ExitStatus(for: error), error)
                try sender.end(failure)
                throw failure
            }
        }
        if resumption != .none { UploadJournals(configuration).removeExpired() }
        let uploads = try files.map { file throws(CommandFailure) in
            var upload = try upload(file, resumption)
            upload.offer = offer
            return upload
        }
        try checkTargets(uploads, resumption)
        return await withTaskGroup(of: CommandFailure?.self) { group in
            var next = 0
            var first: CommandFailure?
            var running = 0
            while true {
                while running < parallel, next < uploads.count, !Task.isCancelled {
                    group.addTask { [next] in await run(uploads[next], next, kernel) }
                    next += 1
                    running += 1
                }
                guard let failure = await group.next() else { return first }
                first = first ?? failure
                running -= 1
            }
        }
    }

    /// The upload of one file, after the server's protocol is known.
    private func upload(_ file: String, _ resumption: Upload.Resumption) throws(CommandFailure) -> Upload {
        let name = String(file.split(separator: "/").last ?? "")
        var request = request
        if resumption != .tus, Uploading.isFolder(request.url) {
            guard file != "-", let query = URLParts(request.url)?.path.endIndex else {
                throw CommandFailure(.usage, "Standard input has no name. Give a URL that does not end in /.")
            }
            var segment: [UInt8] = []
            PercentEncoding.append(escaping: name, to: &segment)
            request.url.insert(contentsOf: String(decoding: segment, as: UTF8.self), at: query)
        }
        let content: UploadContent
        if file == "-" {
            try StandardInput.claim(for: "upload")
            content = .stream(Body(DescriptorSource.standardInput))
        } else {
            content = .file(file)
        }
        var upload = Upload(request, content)
        upload.resumption = resumption
        upload.metadata = metadata
        if resumption == .tus, file != "-", metadata["filename"] == nil { upload.metadata["filename"] = name }
        upload.partSize = partSize
        upload.resumes = !restarts
        upload.checksum = verifies
        upload.allowsOtherOrigins = allowsOtherOrigins
        if file != "-", resumption != .none {
            upload.journal = UploadJournals(configuration).path(of: file, to: request.url)
        }
        return upload
    }

    private func run(_ upload: Upload, _ index: Int, _ kernel: Kernel) async -> CommandFailure? {
        let file = files[index]
        do throws(CommandFailure) {
            try await aborts ? abort(upload, file, index, kernel) : send(upload, file, index, kernel)
            return nil
        } catch {
            var message = error.message ?? "The upload failed."
            if !aborts, Uploading.isThere(upload.journal) { message += Uploading.advice(after: error) }
            display.end(
                index, "plugboard: \(message.contains(file) ? message : "\(file): \(message)")",
                ["file": .string(file), "error": .string(message), "isComplete": false])
            // The message is written already.
            return CommandFailure(error.status, nil)
        }
    }

    /// What can be done with what the server has received; the reasons of errors of uploads say that themselves.
    private static func advice(after failure: CommandFailure) -> String {
        if let code = failure.code, code.kind == "upload" { return "" }
        if failure.responseStatus.map({ refusals.contains($0) }) ?? false {
            // A server that refuses to go on often refuses to remove it, too.
            return " If the same command does not continue the upload, --restart begins again."
        }
        return " The server keeps what it has received: the same command continues it, and --abort removes it."
    }

    /// Statuses by which a server also refuses to go on with what it has. Others say that credentials are missing or
    /// that it is to be tried later.
    private static let refusals = Set(400...499).subtracting([401, 402, 407, 408, 423, 425, 429])

    private static func isThere(_ journal: String?) -> Bool {
        var entry = stat()
        return journal.map { lstat($0, &entry) == 0 && entry.st_size > 0 } ?? false
    }

    private func send(
        _ upload: Upload, _ file: String, _ index: Int, _ kernel: Kernel
    ) async throws(CommandFailure) {
        var upload = upload
        upload.progress = { [display] in
            display.show(index, file, TransferCount(done: $0.sent, resumed: $0.resumed, total: $0.toSend))
        }
        let sender = ObservedSender(kernel, report)
        do {
            let result = try await upload.run(with: sender)
            let status = result.response.status
            let body = try await result.response.body.collect(upTo: .mebibytes(16))
            display.end(
                index, "\(file): \(ProgressBar.size(Int64(result.count)))",
                [
                    "file": .string(file), "sent": .number(JSONNumber(result.count)),
                    "resumed": .number(JSONNumber(result.resumed)), "status": .number(JSONNumber(status)),
                    "isComplete": true,
                ], isExpected: true)
            if printsBodies, !body.isEmpty { try await display.write(body) }
            try sender.end { $0.sent = result.count - result.resumed }
        } catch {
            let failure = sender.slowness ?? failure(of: error, kernel)
            try sender.end(failure)
            throw failure
        }
    }

    private func failure(of error: any Error, _ kernel: Kernel) -> CommandFailure {
        switch error {
        case let error as PlugboardError:
            guard error.code == .responseStatus, let status = error.response?.head.status else {
                return CommandFailure(of: error)
            }
            // After the others, the file would not be sent again.
            let advice = TransferDisplay.advice(after: status, by: kernel, among: [307, 308])
            var failure = CommandFailure(.status, "\(error.reason)\(advice)")
            failure.responseStatus = status
            return failure
        default: return CommandFailure(of: error)
        }
    }

    private func abort(
        _ upload: Upload, _ file: String, _ index: Int, _ kernel: Kernel
    ) async throws(CommandFailure) {
        let response: Response?
        do throws(PlugboardError) {
            response = try await upload.cancel(with: kernel)
        } catch {
            throw CommandFailure(ExitStatus(for: error), error)
        }
        response?.body.source.release()
        let isGone = response.map { (200...299).contains($0.status) || [404, 410].contains($0.status) } ?? true
        guard isGone else {
            throw CommandFailure(.status, "The server responded with status \(response?.status ?? 0).")
        }
        let text = response == nil ? "nothing to remove" : "removed"
        display.end(
            index, "\(file): \(text)", ["file": .string(file), "removed": .bool(response != nil)], isExpected: true)
    }
}
