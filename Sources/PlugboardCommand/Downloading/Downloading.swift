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
    private let jobs: [Download]
    /// URLs of Metalink documents. Their files are downloaded after the jobs.
    private let metalinks: [String]
    private let folder: String
    private let arguments: RequestArguments
    private let options: Options
    private let parallel: Int
    private let configuration: Configuration
    private let display: DownloadDisplay

    /// What all downloads have in common.
    private struct Options {
        let resumes: Bool
        let replacesURL: Bool
        let overwrites: Bool
        let segments: Int
        let speed: ByteCount?

        func set(in download: inout Download) {
            download.resumes = resumes
            download.replacesURL = replacesURL
            download.replacesFile = overwrites
            download.segments = segments
            download.speed = speed
        }
    }

    init(_ verb: DownloadVerb) throws {
        var configuration = try verb.arguments.configuration()
        let base = configuration.kernel.baseURL
        // The progress is what the terminal shows.
        if configuration.kernel.logLevel.rawValue < LogLevel.warning.rawValue {
            configuration.kernel.logLevel = .warning
        }
        self.configuration = configuration
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
        guard let form = DownloadDisplay.Form(rawValue: verb.progress) else {
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
        let isFolder = verb.output.map { $0.hasSuffix("/") || Downloading.isFolder($0) } ?? true
        guard isFolder || urls.count == 1 && verb.metalinks.isEmpty && !verb.remoteName else {
            throw CommandFailure(
                .usage, "-o must be a folder that exists, because of several URLs, --metalink or -O.")
        }
        folder = verb.output ?? ""
        arguments = verb.arguments
        options = Options(
            resumes: verb.resume, replacesURL: verb.moved, overwrites: verb.overwrite, segments: verb.segments,
            speed: speed)
        var jobs: [Download] = []
        for url in urls {
            let requests = try ([url] + verb.mirrors).map { try verb.arguments.request(.get, $0, against: base, nil) }
            var job = isFolder ? Download(requests[0], in: folder) : Download(requests[0], to: folder)
            job.mirrors = Array(requests.dropFirst())
            job.digest = digest
            options.set(in: &job)
            jobs.append(job)
        }
        let isURL: (String) -> Bool = { $0.contains("://") }
        for file in verb.metalinks where !isURL(file) {
            jobs += try Downloading.jobs(
                of: Bytes(FileContents.bytes(of: file, for: "--metalink")), from: nil, in: folder, arguments, options)
        }
        try Downloading.checkNames(jobs)
        metalinks = verb.metalinks.filter(isURL)
        self.jobs = jobs
        parallel = verb.parallel
        display = DownloadDisplay(form)
    }

    /// - Parameter origin: The URL of the document; nil for a file.
    private static func jobs(
        of metalink: Bytes, from origin: String?, in folder: String, _ arguments: RequestArguments, _ options: Options
    ) throws -> [Download] {
        let documents: Metalink
        do throws(PlugboardError) {
            documents = try Metalink(metalink)
        } catch {
            throw CommandFailure(ExitStatus(for: error), error)
        }
        return try documents.files.map { file in
            var job = file.download(in: folder)
            let requests = try file.urls.map { url in
                let request = try arguments.request(.get, url, against: nil, nil)
                let isOwn = origin.map { Origin(url: $0) != nil && Origin(url: $0) == Origin(url: url) } ?? false
                return isOwn ? request : withoutCredentials(request)
            }
            job.request = requests[0]
            job.mirrors = Array(requests.dropFirst())
            options.set(in: &job)
            return job
        }
    }

    /// A document names any host: fields, cookies and attributes of the command line are for its own origin alone.
    private static func withoutCredentials(_ request: Request) -> Request {
        var bare = request
        bare.fields = Fields()
        for name in [FieldName.userAgent, .accept] {
            if let value = request.fields[name] { bare.fields.append(name, value) }
        }
        bare.attributes = [:]
        return bare
    }

    private static func checkNames(_ jobs: [Download]) throws {
        var names: Set<String> = []
        for job in jobs where !names.insert(job.file).inserted {
            throw CommandFailure(.usage, "Two URLs have the file name \(job.file). Download them into two folders.")
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

    func run() async throws {
        let failure = try await Kernel.whileRunning(configuration) { kernel in
            let interrupt = Interrupt()
            let task = Task { try await all(kernel) }
            interrupt.cancels { task.cancel() }
            let failure = try await task.value
            withExtendedLifetime(interrupt) {}
            return failure
        }
        display.clear()
        if let failure { throw failure }
    }

    /// Downloads all files, so many at a time, and returns the first failure.
    private func all(_ kernel: Kernel) async throws -> CommandFailure? {
        var jobs = jobs
        for url in metalinks {
            jobs += try Downloading.jobs(of: try await document(url, kernel), from: url, in: folder, arguments, options)
        }
        try Downloading.checkNames(jobs)
        let names = TakenNames()
        // Names of servers do not take those that are known.
        for (index, job) in jobs.enumerated() where !job.namesFromServer { _ = names.take(job.file, for: index) }
        display.expect(jobs.count)
        return await withTaskGroup(of: CommandFailure?.self) { [jobs] group in
            var next = 0
            var first: CommandFailure?
            var running = 0
            while true {
                while running < parallel, next < jobs.count, !Task.isCancelled {
                    group.addTask { [next] in
                        var job = jobs[next]
                        job.accepts = { names.take($0, for: next) }
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

    private func document(_ url: String, _ kernel: Kernel) async throws -> Bytes {
        let request = try arguments.request(.get, url, against: nil, nil)
        do throws(PlugboardError) {
            let response = try await kernel.send(request)
            guard response.status == 200 else {
                response.body.source.release()
                throw PlugboardError(
                    .responseStatus, "The server responded with status \(response.status) to the Metalink document.")
            }
            return try await response.body.collect(upTo: .mebibytes(16))
        } catch {
            throw CommandFailure(error.code == .responseStatus ? .status : ExitStatus(for: error), error)
        }
    }

    private func download(_ job: Download, _ index: Int, _ kernel: Kernel) async -> CommandFailure? {
        // What all objects of one file have, also if the server names the file.
        let facts: JSONObject = [
            "index": .number(JSONNumber(index)), "url": .string(Printable.url(job.request.url)),
        ]
        do throws(PlugboardError) {
            let result = try await downloaded(job, index, facts, kernel)
            var object: JSONObject = [
                "file": .string(result.file), "received": .number(JSONNumber(result.count)),
                "resumed": .number(JSONNumber(result.resumed)), "isComplete": true,
            ]
            for (name, value) in facts { object[name] = value }
            display.end(index, "\(result.file): \(ProgressBar.size(Int64(result.count)))", object)
            return nil
        } catch {
            let failure = Downloading.failure(error)
            var message = failure.message ?? "The download failed."
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
        job.progress = { [display, file = job.file] in display.show(index, file, $0, facts) }
        let result = try await job.run(with: kernel)
        if result.isComplete { return result }
        result.response.body.source.release()
        throw PlugboardError(.responseStatus, "The server responded with status \(result.response.status).")
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
