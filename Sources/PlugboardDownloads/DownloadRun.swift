import PlugboardMessages
import PlugboardRanges

/// One run of a download: requests, until the file is complete or the attempts are used up.
struct DownloadRun {
    let download: Download
    let partial: PartialFile
    private let url: String
    var pace: ProgressPace
    var speed: SpeedLimit?
    /// After a response that was of no use, the whole is requested.
    var asksWhole = false
    /// False after a server has refused to send several parts at the same time.
    var divides: Bool
    private var failures = 0
    /// The most bytes that were there when a body broke. Only more of them count as progress.
    private var most = 0
    private(set) var resumed = 0
    private var isComplete = false

    init(_ download: Download, _ partial: PartialFile) {
        self.download = download
        self.partial = partial
        url = Journal.key(of: download.request.url)
        pace = ProgressPace(download.progress)
        speed = SpeedLimit(download.speed?.bytes)
        divides = download.segments > 1 && download.request.method == .get
    }

    enum Step {
        case done(Response)
        case next
    }

    mutating func run(with sender: some RequestSender) async throws(PlugboardError) -> DownloadResult {
        if download.resumes, download.request.method == .get { partial.takeUp(url: download.replacesURL ? nil : url) }
        resumed = partial.count
        most = partial.count
        while true {
            do throws(PlugboardError) {
                guard case .done(let response) = try await attempt(with: sender) else { continue }
                return DownloadResult(
                    response: response, isComplete: isComplete, file: destination, count: partial.count,
                    resumed: resumed)
            } catch {
                try? partial.synchronize()
                guard DownloadRun.isTransient(error.code), let delay = nextDelay() else { throw error }
                try await DownloadRun.wait(delay)
            }
        }
    }

    static func wait(_ delay: Duration) async throws(PlugboardError) {
        guard delay > .zero else { return }
        do {
            try await Task.sleep(for: delay)
        } catch {
            throw PlugboardError(.cancelled, "The task of the download was cancelled.")
        }
    }

    /// Whether another request may bring more.
    static func isTransient(_ code: PlugboardError.Code) -> Bool {
        switch code {
        case .bodyCut, .timeoutIdle, .timeoutConnect, .timeoutAttempt, .transportReset, .transportStale,
            .transportUnprocessed, .transportProtocol, .transportConnect, "resume.changed":
            true
        default: false
        }
    }

    private mutating func nextDelay() -> Duration? {
        if partial.count > most {
            most = partial.count
            failures = 0
        }
        failures += 1
        guard failures < download.attempts else { return nil }
        if failures == 1 { return .zero }
        return min(download.delay * (1 << min(failures - 2, 20)), .seconds(30))
    }

    /// The path that the file gets.
    private var destination: String {
        guard download.namesFromServer, let name = partial.journal?.name.flatMap({ SafeName.from(name: $0) }) else {
            return download.file
        }
        let slash = download.file.utf8.lastIndex(of: UInt8(ascii: "/"))
        return (slash.map { String(download.file[...$0]) } ?? "") + name
    }

    // MARK: One request

    private mutating func attempt(with sender: some RequestSender) async throws(PlugboardError) -> Step {
        let policy = policy()
        let range = asksWhole || partial.count == 0 || download.request.method != .get ? nil : policy?.request
        let response = try await sender.send(prepared(download.request, range))
        if let policy, let range {
            switch policy.decision(on: response.head, to: range, bodyLength: response.body.length) {
            case .part(let part): return try await receive(part, response, sender)
            case .whole(let whole): return try await receive(whole, response, sender)
            case .other: return .done(response)
            case .refused:
                response.body.source.release()
                asksWhole = true
                return .next
            }
        }
        switch response.status {
        case 200, 201, 203: break
        case 206:
            response.body.source.release()
            throw PlugboardError(
                .downloadPart,
                "The server sent a part of the file where the whole was requested, so nothing was written.")
        // Such a response has no representation of the file (RFC 9110 §15.3).
        default: return .done(response)
        }
        let whole = Representation(status: response.status, fields: response.fields, length: response.body.length)
        return try await receive(whole, response, sender)
    }

    /// How the first bytes that are missing are requested.
    private func policy() -> RangePolicy? {
        guard let journal = partial.journal else { return nil }
        let next = partial.received.prefix
        // Bytes further on are there already, if the file is received in several parts.
        let end = partial.received.ranges.first { $0.lowerBound > next }?.lowerBound
        return RangePolicy(journal.representation, next: next, end: end, overlap: download.overlap?.bytes)
    }

    func prepared(_ request: Request, _ range: RangeRequest?) -> Request {
        var request = request
        range?.set(in: &request.fields)
        // The bytes of the wire are what ranges count.
        request.attributes["decode.enabled"] = "false"
        return request
    }

    /// The whole representation, from its first byte.
    private mutating func receive(
        _ whole: Representation, _ response: Response, _ sender: some RequestSender
    ) async throws(PlugboardError) -> Step {
        asksWhole = false
        resumed = 0
        do throws(PlugboardError) {
            try check(whole.length ?? 0)
            try checkSize(whole.length)
            try partial.begin(whole, url: url, name: ContentDisposition.name(in: response.fields))
            try accept(destination)
        } catch {
            response.body.source.release()
            throw error
        }
        if let length = whole.length, canDivide(length), whole.validator != nil, DownloadRun.offersRanges(response) {
            return try await receiveSegments(response, length, sender)
        }
        try await write(response, repeated: 0, count: whole.length)
        return try finish(response)
    }

    /// A destination that only the response has told.
    private func accept(_ destination: String) throws(PlugboardError) {
        guard download.namesFromServer else { return }
        if !download.replacesFile, PartialFile.isThere(destination) { throw PartialFile.exists(destination) }
        try PartialFile.checkDestination(destination)
        guard let accepts = download.accepts, !accepts(destination) else { return }
        throw PlugboardError(.downloadExists, "\(destination) is the name of another download. Name another file.")
    }

    private func canDivide(_ count: Int) -> Bool { divides && count / 2 >= download.segmentMinimum }

    /// RFC 9110 §14.3.
    private static func offersRanges(_ response: Response) -> Bool {
        response.fields.values(.acceptRanges).contains { $0.lowercased() == "bytes" }
    }

    /// Bytes that continue those that are there.
    private mutating func receive(
        _ part: RangePart, _ response: Response, _ sender: some RequestSender
    ) async throws(PlugboardError) -> Step {
        do throws(PlugboardError) {
            try check(part.complete ?? 0)
            try checkSize(part.complete)
            try partial.note(length: part.complete)
            try accept(destination)
        } catch {
            response.body.source.release()
            throw error
        }
        let isDivided = partial.journal?.written != nil
        if partial.journal?.representation.length != nil, part.repeated == 0, isDivided || canDivide(part.count) {
            return try await receiveSegments(response, part.count, sender)
        }
        try await write(response, repeated: part.repeated, count: part.count)
        guard let complete = part.complete, !asksWhole else { return .next }
        return partial.count == complete ? try finish(response) : .next
    }

    func check(_ count: Int) throws(PlugboardError) {
        guard let limit = download.limit, count > limit.bytes else { return }
        partial.remove()
        throw PlugboardError(.bodyLimit, "The file would be larger than the \(limit) allowed. Raise the limit.")
    }

    private func checkSize(_ count: Int?) throws(PlugboardError) {
        guard let size = download.size, let count, count != size.bytes else { return }
        partial.remove()
        throw PlugboardError(
            .downloadDigest,
            "The server's file has \(count) bytes and not the \(size.bytes) expected, so it is another file.")
    }

    /// The digests of the server and of the caller that the file must have.
    func expected(_ response: ResponseHead) -> [ExpectedDigest] {
        [download.digest, ExpectedDigest(response)].compactMap { $0 }
    }

    mutating func finish(_ response: Response) throws(PlugboardError) -> Step {
        if let digest = ExpectedDigest(response.head), let own = download.digest,
            digest.algorithm == own.algorithm, digest != own
        {
            partial.remove()
            throw PlugboardError(
                .downloadDigest,
                "The server announces another \(own.algorithm.title) than the expected one, so the file was removed.")
        }
        try checkSize(partial.count)
        try partial.appear(as: destination, replaces: download.replacesFile, expected(response.head))
        isComplete = true
        pace.end(DownloadProgress(received: partial.count, resumed: resumed, total: partial.count))
        var response = response
        response.body = .empty
        return .done(response)
    }
}
