import Plugboard
import PlugboardDownloads
import PlugboardJSON
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Carries out `plugboard download`.
struct Downloading: Sendable {
    /// One file, and the URLs that it can be had from.
    private struct Job: Sendable {
        let requests: [Request]
        let file: String
    }

    private let jobs: [Job]
    private let resumes: Bool
    private let replacesURL: Bool
    private let overwrites: Bool
    private let digest: ExpectedDigest?
    private let parallel: Int
    private let configuration: Configuration
    private let display: DownloadDisplay

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
        guard !urls.isEmpty else { throw CommandFailure(.usage, "No URL was given. See plugboard download --help.") }
        guard verb.parallel >= 1, verb.parallel <= 64 else {
            throw CommandFailure(.usage, "--parallel must be from 1 to 64.")
        }
        guard urls.count == 1 || (verb.checksum == nil && verb.mirrors.isEmpty) else {
            throw CommandFailure(.usage, "--checksum and --mirror are for one URL. Download the files one by one.")
        }
        guard let form = DownloadDisplay.Form(rawValue: verb.progress) else {
            throw CommandFailure(.usage, "--progress must be bar, json or none.")
        }
        digest = try verb.checksum.map { text in
            guard let digest = ExpectedDigest(text) else {
                throw CommandFailure(
                    .usage, "--checksum must be sha-256= with 64 hexadecimal digits or with base 64.")
            }
            return digest
        }
        let isFolder = verb.output.map { $0.hasSuffix("/") || Downloading.isFolder($0) } ?? true
        guard isFolder || urls.count == 1 else {
            throw CommandFailure(.usage, "-o must be a folder that exists, because there are several URLs.")
        }
        var jobs: [Job] = []
        var names: Set<String> = []
        for url in urls {
            let requests = try ([url] + verb.mirrors).map { try verb.arguments.request(.get, $0, against: base, nil) }
            var file = verb.output ?? ""
            if isFolder {
                let folder = file.isEmpty || file.hasSuffix("/") ? file : file + "/"
                file = folder + SafeName.from(url: requests[0].url)
            }
            guard names.insert(file).inserted else {
                throw CommandFailure(.usage, "Two URLs have the file name \(file). Download them into two folders.")
            }
            jobs.append(Job(requests: requests, file: file))
        }
        self.jobs = jobs
        resumes = verb.resume
        replacesURL = verb.moved
        overwrites = verb.overwrite
        parallel = verb.parallel
        display = DownloadDisplay(form)
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
            let task = Task { await all(kernel) }
            interrupt.cancels { task.cancel() }
            let failure = await task.value
            withExtendedLifetime(interrupt) {}
            return failure
        }
        display.clear()
        if let failure { throw failure }
    }

    /// Downloads all files, so many at a time, and returns the first failure.
    private func all(_ kernel: Kernel) async -> CommandFailure? {
        await withTaskGroup(of: CommandFailure?.self) { group in
            var next = 0
            var first: CommandFailure?
            var running = 0
            while true {
                while running < parallel, next < jobs.count, !Task.isCancelled {
                    group.addTask { [next] in await download(next, kernel) }
                    next += 1
                    running += 1
                }
                guard let failure = await group.next() else { return first }
                first = first ?? failure
                running -= 1
            }
        }
    }

    private func download(_ index: Int, _ kernel: Kernel) async -> CommandFailure? {
        let job = jobs[index]
        do throws(CommandFailure) {
            let result = try await downloaded(job, index, kernel)
            display.end(
                index, "\(job.file): \(ProgressBar.size(Int64(result.count)))",
                [
                    "file": .string(job.file), "received": .number(JSONNumber(result.count)),
                    "resumed": .number(JSONNumber(result.resumed)), "isComplete": true,
                ])
            return nil
        } catch {
            var message = error.message ?? "The download failed."
            if access("\(job.file).part", F_OK) == 0, error.status != .write {
                message += " What was received stays in \(job.file).part: the same command with --resume continues it."
            }
            display.end(
                index, "plugboard: \(job.file): \(message)",
                ["file": .string(job.file), "error": .string(message), "isComplete": false])
            // The message is written already.
            return CommandFailure(error.status, nil)
        }
    }

    /// Tries the URL and its mirrors in turn.
    private func downloaded(_ job: Job, _ index: Int, _ kernel: Kernel) async throws(CommandFailure) -> DownloadResult {
        if !overwrites, access(job.file, F_OK) == 0 {
            throw CommandFailure(.write, "The file exists. Use --overwrite to replace it, or -o to name another.")
        }
        var failure = CommandFailure(.usage, nil)
        for (number, request) in job.requests.enumerated() {
            var download = Download(request, to: job.file)
            download.resumes = resumes || number > 0
            // Two servers can give different files the same entity tag: only a digest tells.
            download.replacesURL = replacesURL || (job.requests.count > 1 && digest != nil)
            download.digest = digest
            download.progress = { [display] in display.show(index, job.file, $0) }
            do throws(PlugboardError) {
                let result = try await download.run(with: kernel)
                if result.isComplete { return result }
                result.response.body.source.release()
                failure = CommandFailure(.status, "The server responded with status \(result.response.status).")
            } catch {
                failure = CommandFailure(ExitStatus(for: error), error)
                if error.code == .cancelled || error.code == .downloadWrite { break }
            }
        }
        throw failure
    }
}
