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
    let options: Options
    /// Whether servers may name Metalink documents and other servers.
    private let followsMetalinks: Bool
    let parallel: Int
    private let configuration: Configuration
    let display: TransferDisplay
    private let renames: Bool
    private let printsCurl: Bool
    let report: TransferReport

    struct Job {
        var download: Download
        /// Whether a Metalink document has named it.
        var isOfMetalink = false
        /// Where its URL stands in a list, for errors.
        var place: String?
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
        let idleTimeout: Duration?
        let condition: CurlCondition
        /// Whether files get the time of `Last-Modified`.
        let setsTime: Bool

        /// Whether a file that exists is neither continued nor replaced.
        var mindsFiles: Bool { !resumes && !overwrites }

        func set(in download: inout Download) {
            download.resumes = resumes
            download.replacesURL = replacesURL
            download.replacesFile = overwrites
            download.confirmsFile = resumes
            download.segments = segments
            download.speed = speed
            if let attempts { download.attempts = attempts }
            set(in: &download.request)
            for index in download.mirrors.indices { set(in: &download.mirrors[index]) }
        }

        private func set(in request: inout Request) {
            if let idleTimeout { request.options.idleTimeout = idleTimeout }
            condition.add(to: &request)
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
        var arguments = verb.arguments
        try arguments.readFields()
        self.arguments = arguments
        options = Options(
            resumes: verb.resume, replacesURL: verb.moved, overwrites: verb.files.overwrite, segments: verb.segments,
            speed: try verb.speed, attempts: try verb.attempts, idleTimeout: try verb.transfer.group.idleTimeout,
            condition: try CurlCondition(TimeOptions.group(remoteTime: verb.remoteTime, condition: verb.condition)),
            setsTime: verb.remoteTime)
        var jobs: [Job] = []
        for entry in entries {
            let request = try arguments.request(.get, entry.url, against: base, nil)
            var job = isFolder ? Download(request, in: folder) : Download(request, to: folder)
            if let name = entry.name { job = Download(request, to: Downloading.path(name, in: isFolder ? folder : "")) }
            job.mirrors = try (verb.mirrors + entry.mirrors).map {
                try Downloading.request(for: $0, namedBy: request.url, against: base, arguments)
            }
            job.digest = try digest ?? entry.digest ?? sums?.digest(of: job.file)
            options.set(in: &job)
            jobs.append(Job(download: job, place: entry.place))
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
        printsCurl = verb.output.printCurl
        report = try TransferReport(verb.output, verb.transfer)
    }

    /// The jobs with paths that all differ. Throws for two with one path, unless they are renamed.
    private static func named(_ jobs: [Job], renaming: Bool, _ options: Options) throws -> [Job] {
        let names = DownloadNames(renames: renaming)
        var jobs = jobs
        for (index, job) in jobs.enumerated() {
            // A server's name replaces this one, so that a file with this name does not matter yet.
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
        if printsCurl { return try await printCurl() }
        var configuration = configuration
        var catalog = Catalog.bundled
        try report.begin(&configuration, &catalog)
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
        if self.options.setsTime { options.append("-R") }
        options += report.group.printed
        let request = job.download.request
        try await Kernel.whileRunning(configuration) { [options] kernel in
            try arguments.check(kernel)
            let printing = RequestPrinting(
                arguments: arguments, configuration: configuration, showsSecrets: report.showsSecrets)
            try await printing.printCurl(request, nil, kernel, adding: options)
        }
    }

    /// Downloads all files, at most `parallel` at a time, and returns the first failure.
    private func all(_ kernel: Kernel) async throws -> CommandFailure? {
        if report.isVerbose { kernel.writePlugins() }
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
        let sender = ObservedSender(kernel, report)
        var failure: CommandFailure
        do throws(PlugboardError) {
            let result = try await downloaded(job, index, facts, sender, kernel)
            end(result, given, index, facts)
            return report(by: sender, nil) { ($0.file, $0.received) = (result.file, result.count - result.resumed) }
        } catch {
            if error.code == .responseStatus, error.response?.head.status == 304, options.condition.isGiven {
                endUnchanged(job, index, facts)
                return report(by: sender, nil)
            }
            failure = sender.slowness ?? Downloading.failure(error)
            let place = error.code == .requestURL ? given.place.map { "\($0): " } ?? "" : ""
            end(job, index, facts, place + message(of: failure, error, job, kernel))
        }
        // The message is written already.
        failure = CommandFailure(failure.status, nil)
        return report(by: sender, failure) ?? failure
    }

    /// Writes what options ask for at the end of a transfer. Returns the failure of that, after its message.
    private func report(
        by sender: ObservedSender, _ failure: CommandFailure?,
        _ change: (inout WriteOut.Facts) -> Void = { _ in }
    ) -> CommandFailure? {
        do throws(CommandFailure) {
            try sender.end(failure, change)
            return nil
        } catch {
            if let message = error.message { StandardError.say(message) }
            return CommandFailure(error.status, nil)
        }
    }
}
