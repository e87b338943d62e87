import PlugboardMessages
import PlugboardRanges

/// One run of a download: requests, until the file is complete or the attempts are used up.
struct DownloadRun {
    private let download: Download
    private let url: String
    private let partial: PartialFile
    private var pace: ProgressPace
    /// After a response that was of no use, the whole is requested.
    private var asksWhole = false
    private var failures = 0
    /// The most bytes that were there when a body broke. Only more of them count as progress.
    private var most = 0
    private var resumed = 0

    init(_ download: Download) throws(PlugboardError) {
        self.download = download
        url = Journal.key(of: download.request.url)
        partial = try PartialFile(download.file)
        pace = ProgressPace(download.progress)
    }

    private enum Step {
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
                    response: response, isComplete: isComplete, count: partial.count, resumed: resumed)
            } catch {
                try? partial.synchronize()
                guard DownloadRun.isTransient(error.code), let delay = nextDelay() else { throw error }
                guard delay > .zero else { continue }
                do { try await Task.sleep(for: delay) } catch { throw DownloadRun.cancelled }
            }
        }
    }

    private var isComplete = false
    private static let cancelled = PlugboardError(.cancelled, "The task of the download was cancelled.")

    /// Whether another request may bring more.
    private static func isTransient(_ code: PlugboardError.Code) -> Bool {
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

    // MARK: One request

    private mutating func attempt(with sender: some RequestSender) async throws(PlugboardError) -> Step {
        let policy = partial.journal.map {
            RangePolicy($0.representation, next: partial.count, overlap: download.overlap?.bytes)
        }
        let range = asksWhole || partial.count == 0 || download.request.method != .get ? nil : policy?.request
        var request = download.request
        range?.set(in: &request.fields)
        // The bytes of the wire are what ranges count.
        request.attributes["decode.enabled"] = "false"
        let response = try await sender.send(request)
        if let policy, let range {
            switch policy.decision(on: response.head, to: range, bodyLength: response.body.length) {
            case .part(let part): return try await receive(part, response)
            case .whole(let whole): return try await receive(whole, response)
            case .other: return .done(response)
            case .refused:
                response.body.source.release()
                asksWhole = true
                return .next
            }
        }
        guard (200...299).contains(response.status) else { return .done(response) }
        guard response.status != 206 else {
            response.body.source.release()
            throw PlugboardError(
                .downloadPart,
                "The server sent a part of the file where the whole was requested, so nothing was written.")
        }
        let whole = Representation(status: response.status, fields: response.fields, length: response.body.length)
        return try await receive(whole, response)
    }

    /// The whole representation, from its first byte.
    private mutating func receive(_ whole: Representation, _ response: Response) async throws(PlugboardError) -> Step {
        asksWhole = false
        resumed = 0
        do throws(PlugboardError) {
            try check(whole.length ?? 0)
            try partial.begin(whole, url: url)
        } catch {
            response.body.source.release()
            throw error
        }
        try await write(response, repeated: 0, count: whole.length)
        return try finish(response)
    }

    /// Bytes that continue those that are there.
    private mutating func receive(_ part: RangePart, _ response: Response) async throws(PlugboardError) -> Step {
        do throws(PlugboardError) {
            try check(part.complete ?? 0)
            try partial.note(length: part.complete)
        } catch {
            response.body.source.release()
            throw error
        }
        try await write(response, repeated: part.repeated, count: part.count)
        guard let complete = part.complete, !asksWhole else { return .next }
        return partial.count == complete ? try finish(response) : .next
    }

    /// Writes a response's body to the file.
    ///
    /// - Parameter repeated: How many of its bytes must be those at the end of the file.
    private mutating func write(
        _ response: Response, repeated: Int, count: Int?
    ) async throws(PlugboardError) {
        if download.digest != nil || ExpectedDigest(response.head) != nil { try partial.computeDigest() }
        let total = partial.journal?.representation.length
        var repeated = repeated
        var left = count
        pace.tell(DownloadProgress(received: partial.count, resumed: resumed, total: total))
        var iterator = response.body.makeAsyncIterator()
        do throws(PlugboardError) {
            while let piece = try await iterator.next() {
                if let known = left {
                    guard piece.count <= known else {
                        try partial.drop()
                        throw DownloadRun.wrongCount
                    }
                    left = known - piece.count
                }
                let compared = min(repeated, piece.count)
                if compared > 0 {
                    let offset = partial.count - repeated
                    let isSame = piece[0..<compared].withUnsafeBytes { partial.holds($0, at: offset) }
                    guard isSame else {
                        response.body.source.release()
                        asksWhole = true
                        return
                    }
                    repeated -= compared
                }
                try check(partial.count + piece.count - compared)
                try piece[compared..<piece.count].withUnsafeBytes { bytes throws(PlugboardError) in
                    if !bytes.isEmpty { try partial.append(bytes) }
                }
                pace.tell(DownloadProgress(received: partial.count, resumed: resumed, total: total))
            }
        } catch {
            response.body.source.release()
            throw error
        }
        // A connection's end is the end of a body without a length (RFC 9112 §8), but not of a range.
        guard left == nil || left == 0, repeated == 0 else {
            // Such a server's bytes are not trusted, the earlier ones of this part included.
            try partial.drop()
            throw DownloadRun.wrongCount
        }
    }

    private static let wrongCount = PlugboardError(
        .bodyCut, "The body does not have the length that the server announced.")

    private func check(_ count: Int) throws(PlugboardError) {
        guard let limit = download.limit, count > limit.bytes else { return }
        partial.remove()
        throw PlugboardError(.bodyLimit, "The file would be larger than the \(limit) allowed. Raise the limit.")
    }

    private mutating func finish(_ response: Response) throws(PlugboardError) -> Step {
        if let digest = ExpectedDigest(response.head), let own = download.digest, digest != own {
            partial.remove()
            throw PlugboardError(
                .downloadDigest, "The server announces another SHA-256 than the expected one, so the file was removed.")
        }
        try partial.appear(download.digest ?? ExpectedDigest(response.head))
        isComplete = true
        pace.end(DownloadProgress(received: partial.count, resumed: resumed, total: partial.count))
        var response = response
        response.body = .empty
        return .done(response)
    }
}

/// Limits progress to ten calls a second.
struct ProgressPace {
    private let progress: (@Sendable (DownloadProgress) -> Void)?
    private var last: ContinuousClock.Instant?

    init(_ progress: (@Sendable (DownloadProgress) -> Void)?) { self.progress = progress }

    mutating func tell(_ facts: DownloadProgress) {
        guard let progress else { return }
        let now = ContinuousClock.now
        if let last, now - last < .milliseconds(100) { return }
        last = now
        progress(facts)
    }

    mutating func end(_ facts: DownloadProgress) { progress?(facts) }
}
