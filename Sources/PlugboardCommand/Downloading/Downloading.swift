import Plugboard
import PlugboardDownloads
import PlugboardJSON
import PlugboardKit
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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

        func set(in download: inout Download) {
            download.resumes = resumes
            download.replacesURL = replacesURL
            download.replacesFile = overwrites
            download.confirmsFile = resumes
            download.segments = segments
            download.speed = speed
        }
    }

    init(_ verb: DownloadVerb) throws {
        configuration = try verb.arguments.configuration()
        let base = configuration.kernel.baseURL
        var urls = verb.urls
        if let list = verb.inputFile { urls += try Downloading.lines(of: list) }
        guard !urls.isEmpty || !verb.metalinks.isEmpty else {
            throw CommandFailure(.usage, "No URL was given. See plugboard download --help.")
        }
        guard (1...64).contains(verb.parallel), (1...64).contains(verb.segments) else {
            throw CommandFailure(.usage, "--parallel and --segments must be from 1 to 64.")
        }
        guard urls.count == 1 && verb.metalinks.isEmpty || (verb.checksum == nil && verb.mirrors.isEmpty) else {
            throw CommandFailure(.usage, "--checksum and --mirror are for one URL. Download the files one by one.")
        }
        guard let form = TransferDisplay.Form(rawValue: verb.progress) else {
            throw CommandFailure(.usage, "--progress must be bar, json or none.")
        }
        let digest = try verb.checksum.map { text in
            guard let digest = ExpectedDigest(text) else {
                throw CommandFailure(
                    .usage,
                    "--checksum must be sha-256= or sha-512= with hexadecimal digits or with base 64.")
            }
            return digest
        }
        let speed = try verb.limitRate.map { text in
            guard let speed = ByteCount(text), speed.bytes > 0 else {
                throw CommandFailure(.usage, "--limit-rate must be a size, such as 500KiB or 2MiB.")
            }
            return speed
        }
        if verb.output == "-" {
            throw CommandFailure(
                .usage,
                "download writes files, which can be continued: plugboard get URL writes to standard output. For a file of "
                    + "this name, use -o ./-.")
        }
        let isFolder = verb.output.map { $0.hasSuffix("/") || Downloading.isFolder($0) } ?? true
        guard isFolder || urls.count == 1 && verb.metalinks.isEmpty && !verb.remoteName else {
            throw CommandFailure(
                .usage, "-o must be a folder that exists, because of several URLs, --metalink or -O.")
        }
        folder = verb.output ?? ""
        if let slash = folder.lastIndex(of: "/"), !Downloading.isFolder(String(folder[...slash])) {
            throw CommandFailure(.write, "-o: there is no folder \(folder[..<slash]). Create it first.")
        }
        arguments = verb.arguments
        options = Options(
            resumes: verb.resume, replacesURL: verb.moved, overwrites: verb.overwrite, segments: verb.segments,
            speed: speed)
        var jobs: [Job] = []
        for url in urls {
            let request = try verb.arguments.request(.get, url, against: base, nil)
            var job = isFolder ? Download(request, in: folder) : Download(request, to: folder)
            job.mirrors = try verb.mirrors.map {
                try Downloading.request(for: $0, namedBy: request.url, against: base, verb.arguments)
            }
            job.digest = digest
            options.set(in: &job)
            jobs.append(Job(download: job))
        }
        let isURL: (String) -> Bool = { $0.contains("://") }
        for file in verb.metalinks where !isURL(file) {
            jobs += try Downloading.jobs(
                of: Bytes(FileContents.bytes(of: file, for: "--metalink")), from: nil, in: folder, arguments, options)
        }
        try Downloading.checkNames(jobs)
        metalinks = verb.metalinks.filter(isURL)
        self.jobs = jobs
        followsMetalinks = verb.followMetalink
        parallel = verb.parallel
        display = TransferDisplay(form)
    }

    private static func checkNames(_ jobs: [Job]) throws {
        var names: Set<String> = []
        for job in jobs where !names.insert(job.download.file).inserted {
            throw CommandFailure(
                .usage, "Two URLs have the file name \(job.download.file). Download them into two folders.")
        }
    }

    private static func lines(of list: String) throws -> [String] {
        let bytes = try list == "-" ? FileContents.ofStandardInput() : FileContents.bytes(of: list, for: "--input-file")
        let lines = bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map { line in
            String(decoding: line.drop { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
        }
        return lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    private static func isFolder(_ path: String) -> Bool {
        var entry = stat()
        return stat(path, &entry) == 0 && entry.st_mode & S_IFMT == S_IFDIR
    }

    // MARK: Running

    func run() async throws { try await display.whileRunning(configuration, arguments) { try await all($0) } }

    /// Downloads all files, so many at a time, and returns the first failure.
    private func all(_ kernel: Kernel) async throws -> CommandFailure? {
        var (jobs, documents) = followsMetalinks ? try await followed(kernel) : (jobs, [])
        documents += metalinks.map { NamedDocument(url: $0, origin: $0) }
        for document in documents {
            jobs += try Downloading.jobs(
                of: try await read(document, kernel), from: document.origin, in: folder, arguments, options)
        }
        try Downloading.checkNames(jobs)
        let names = TakenNames()
        // Names of servers do not take those that are known.
        for (index, job) in jobs.enumerated() where !job.download.namesFromServer {
            _ = names.take(job.download.file, for: index)
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
                        job.download.accepts = { names.take($0, for: next) }
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

    /// The paths of the files of this command.
    private final class TakenNames: Sendable {
        private let paths = Mutex<[String: Int]>([:])

        func take(_ path: String, for job: Int) -> Bool {
            paths.withLock { paths in
                paths[path] = paths[path] ?? job
                return paths[path] == job
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
        return try await job.run(with: kernel)
    }

    private static func failure(_ error: PlugboardError) -> CommandFailure {
        switch error.code {
        case .responseStatus: CommandFailure(.status, error)
        case .downloadExists:
            CommandFailure(.write, "\(error.reason) Use --overwrite to replace it, or -o to name another.")
        default: CommandFailure(ExitStatus(for: error), error)
        }
    }
}
