import Plugboard
import PlugboardDownloads
import PlugboardJSON
import PlugboardKit
import PlugboardSystem

/// Carries out `plugboard download`.
struct Downloading: Sendable {
    let jobs: [Job]
    /// URLs of Metalink documents. Their files are downloaded after the jobs.
    let metalinks: [String]
    private let folder: String
    let arguments: RequestArguments
    private let options: Options
    /// Whether servers may name Metalink documents and other servers.
    private let followsMetalinks: Bool
    let parallel: Int
    private let configuration: Configuration
    private let display: TransferDisplay
    private let renames: Bool
    private let printing: DownloadPrinting

    struct Job {
        var download: Download
        /// Whether a Metalink document has named it.
        var isOfMetalink = false
    }

    /// What all downloads have in common.
    struct Options {
        let resumes: Bool
        let replacesURL: Bool
        let overwrites: Bool
        let segments: Int
        let speed: ByteCount?
        /// The requests in a row that may bring no byte; nil for the usual number.
        let attempts: Int?

        /// Whether a file that is there is neither continued nor replaced.
        var mindsFiles: Bool { !resumes && !overwrites }

        func set(in download: inout Download) {
            download.resumes = resumes
            download.replacesURL = replacesURL
            download.replacesFile = overwrites
            download.confirmsFile = resumes
            download.segments = segments
            download.speed = speed
            if let attempts { download.attempts = attempts }
        }
    }

    init(_ verb: DownloadVerb) throws {
        configuration = try verb.configuration()
        let base = configuration.kernel.baseURL
        var entries = verb.urls.map { DownloadEntry($0) }
        if let list = verb.inputFile { entries += try DownloadEntry.all(inList: list) }
        guard !entries.isEmpty || !verb.metalinks.isEmpty else {
            let advice = verb.arguments.cookies.jar == nil ? "" : " -c FILE is the cookie jar, --continue continues."
            throw CommandFailure(.usage, "No URL was given.\(advice) See plugboard download --help.")
        }
        guard (1...64).contains(verb.parallel), (1...64).contains(verb.segments) else {
            throw CommandFailure(.usage, "--parallel and --segments must be from 1 to 64.")
        }
        let isOne = entries.count == 1 && verb.metalinks.isEmpty
        guard isOne || (verb.checksum == nil && verb.mirrors.isEmpty) else {
            throw CommandFailure(.usage, "--checksum and --mirror are for one URL. Download the files one by one.")
        }
        let digest = try verb.digest
        let sums = try verb.checksums.map { try ChecksumFile($0) }
        let (place, isFolder) = try verb.files.place(isOne: isOne)
        folder = place
        arguments = verb.arguments
        options = Options(
            resumes: verb.resume, replacesURL: verb.moved, overwrites: verb.files.overwrite, segments: verb.segments,
            speed: try verb.speed, attempts: try verb.attempts)
        var jobs: [Job] = []
        for entry in entries {
            let request = try verb.arguments.request(.get, entry.url, against: base, nil)
            var job = isFolder ? Download(request, in: folder) : Download(request, to: folder)
            if let name = entry.name { job = Download(request, to: Downloading.path(name, in: isFolder ? folder : "")) }
            job.mirrors = try (verb.mirrors + entry.mirrors).map {
                try Downloading.request(for: $0, namedBy: request.url, against: base, verb.arguments)
            }
            job.digest = try digest ?? entry.digest ?? sums?.digest(of: job.file)
            options.set(in: &job)
            jobs.append(Job(download: job))
        }
        let isURL: (String) -> Bool = { $0.contains("://") }
        for file in verb.metalinks where !isURL(file) {
            jobs += try Downloading.jobs(
                of: Bytes(FileContents.bytes(of: file, for: "--metalink")), from: nil, in: folder, arguments, options)
        }
        renames = verb.files.autoFileRenaming
        self.jobs = try Downloading.named(jobs, renaming: renames, options)
        metalinks = verb.metalinks.filter(isURL)
        followsMetalinks = verb.followMetalink
        parallel = verb.parallel
        display = TransferDisplay(verb.output.form)
        printing = verb.output
    }

    /// The jobs with paths of which no two are the same. Throws for two with the same, unless they are renamed.
    private static func named(_ jobs: [Job], renaming: Bool, _ options: Options) throws -> [Job] {
        let names = DownloadNames(renames: renaming)
        var jobs = jobs
        for (index, job) in jobs.enumerated() {
            // The name that a server gives counts, so that a file of the other name does not matter yet.
            let download = job.download
            let minding = options.mindsFiles && !download.namesFromServer
            if let path = names.path(download.file, for: index, minding: minding) {
                jobs[index].download.file = path
                continue
            }
            let other = jobs.first { $0.download.file == download.file }?.download.request.url ?? ""
            throw CommandFailure(
                .usage,
                "Two URLs have the file name \(download.file): \(Printable.url(other)) and "
                    + "\(Printable.url(download.request.url)). Download them into two folders, or with "
                    + "--auto-file-renaming.")
        }
        return jobs
    }

    private static func path(_ name: String, in folder: String) -> String {
        folder.isEmpty || name.hasPrefix("/") ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    // MARK: Running

    func run() async throws {
        if printing.printCurl { return try await printCurl() }
        var configuration = configuration
        var catalog = Catalog.bundled
        if printing.isVerbose {
            WireOutput.add(to: &configuration, &catalog, showingSecrets: printing.showSecrets)
        }
        configuration.kernel.logLevel = printing.logLevel ?? configuration.kernel.logLevel
        try await display.whileRunning(configuration, catalog: catalog, arguments) { try await all($0) }
    }

    private func printCurl() async throws {
        guard let job = jobs.first, jobs.count == 1, metalinks.isEmpty, job.download.mirrors.isEmpty else {
            throw CommandFailure(.usage, "--print-curl is for one URL without mirrors.")
        }
        var options = ["-f"]
        if job.download.namesFromServer {
            options += ["-OJ"] + (folder.isEmpty ? [] : ["--output-dir", folder])
        } else {
            options += ["-o", job.download.file]
        }
        if job.download.resumes { options += ["-C", "-"] }
        if let speed = job.download.speed { options += ["--limit-rate", "\(speed.bytes)"] }
        let request = job.download.request
        try await Kernel.whileRunning(configuration) { [options] kernel in
            try arguments.check(kernel)
            let printing = RequestPrinting(
                arguments: arguments, configuration: configuration, showsSecrets: printing.showSecrets)
            try await printing.printCurl(request, nil, kernel, adding: options)
        }
    }

    /// Downloads all files, so many at a time, and returns the first failure.
    private func all(_ kernel: Kernel) async throws -> CommandFailure? {
        var (jobs, documents) = followsMetalinks ? try await followed(kernel) : (jobs, [])
        documents += metalinks.map { NamedDocument(url: $0, origin: $0) }
        for document in documents {
            jobs += try Downloading.jobs(
                of: try await read(document, kernel), from: document.origin, in: folder, arguments, options)
        }
        jobs = try Downloading.named(jobs, renaming: renames, options)
        let names = DownloadNames(renames: renames)
        // Names of servers do not take those that are known.
        for (index, job) in jobs.enumerated() where !job.download.namesFromServer {
            _ = names.path(job.download.file, for: index, minding: false)
        }
        display.expect(jobs.count)
        return await withTaskGroup(of: CommandFailure?.self) { [jobs] group in
            var next = 0
            var first: CommandFailure?
            var running = 0
            while true {
                while running < parallel, next < jobs.count, !Task.isCancelled {
                    group.addTask { [next] in
                        var job = jobs[next]
                        job.download.renames = { [options] in names.path($0, for: next, minding: options.mindsFiles) }
                        return await download(job, next, kernel)
                    }
                    next += 1
                    running += 1
                }
                guard let failure = await group.next() else {
                    guard next < jobs.count else { return first }
                    return first ?? CommandFailure(.interrupted, "\(jobs.count - next) files were not begun.")
                }
                first = first ?? failure
                running -= 1
            }
        }
    }

    private func download(_ given: Job, _ index: Int, _ kernel: Kernel) async -> CommandFailure? {
        let job = given.download
        // What all objects of one file have, also if the server names the file.
        let facts: JSONObject = [
            "index": .number(JSONNumber(index)), "url": .string(Printable.url(job.request.url)),
        ]
        do throws(PlugboardError) {
            let result = try await downloaded(job, index, facts, kernel)
            var object: JSONObject = [
                "file": .string(result.file), "received": .number(JSONNumber(result.count)),
                "resumed": .number(JSONNumber(result.resumed)), "isComplete": true,
                "isVerified": .bool(result.isVerified), "wasComplete": .bool(result.wasComplete),
            ]
            for (name, value) in facts { object[name] = value }
            let note = Downloading.note(on: result, given)
            if let note { object["note"] = .string(note) }
            let size = ProgressBar.size(Int64(result.count))
            let state = result.wasComplete ? "complete already, \(size)" : size
            let line = "\(result.file): \(state)" + (note.map { ". \($0)" } ?? "")
            display.end(index, line, object, isExpected: note == nil)
            return nil
        } catch {
            let failure = Downloading.failure(error)
            var message = failure.message ?? "The download failed."
            if let response = error.response {
                message += TransferDisplay.advice(
                    after: response.head.status, by: kernel, among: [301, 302, 303, 307, 308])
            }
            let isLeft = access("\(job.file).part", F_OK) == 0 && access("\(job.file).part.json", F_OK) == 0
            if isLeft, error.code != .downloadExists, error.code != .downloadBusy {
                message += " What was received stays in \(job.file).part: the same command with --resume continues it."
            }
            var object: JSONObject = ["file": .string(job.file), "error": .string(message), "isComplete": false]
            for (name, value) in facts { object[name] = value }
            display.end(index, "plugboard: \(job.file): \(message)", object)
            // The message is written already.
            return CommandFailure(failure.status, nil)
        }
    }

    private func downloaded(
        _ job: Download, _ index: Int, _ facts: JSONObject, _ kernel: Kernel
    ) async throws(PlugboardError) -> DownloadResult {
        var job = job
        job.progress = { [display, file = job.file] in
            let count = TransferCount(done: $0.received, resumed: $0.resumed, total: $0.toReceive)
            display.show(index, file, count, facts)
        }
        guard printing.isVerbose else { return try await job.run(with: kernel) }
        return try await job.run(with: WatchedSender(kernel, showingSecrets: printing.showSecrets))
    }

    private static func failure(_ error: PlugboardError) -> CommandFailure {
        switch error.code {
        case .responseStatus: CommandFailure(.status, error)
        case .downloadExists:
            CommandFailure(
                .write,
                "\(error.reason) Use --overwrite to replace it, -o to name another, or --auto-file-renaming.")
        default: CommandFailure(ExitStatus(for: error), error)
        }
    }
}
