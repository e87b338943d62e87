import PlugboardMessages
import PlugboardRanges

/// One run of a download: sends requests until the file is complete or the attempts are used up.
struct DownloadRun {
    let download: Download
    let partial: PartialFile
    private let url: String
    /// The keys of all URLs of the file.
    private let urls: [String]
    /// The server of this run. Its representation is nil while all existing bytes are of another server.
    var source: DownloadSource
    /// The reason why bytes of several servers can be combined; nil if they cannot.
    let combination: Journal.Combination?
    var pace: DownloadPace
    var speed: SpeedLimit?
    /// True after an unusable response: then the whole file is requested.
    var asksWhole = false
    /// False after a server has refused to send several parts at the same time.
    var divides: Bool
    /// False after a server has refused to send single pieces.
    var requestsPieces = true
    var isVerified = false
    private var failures = 0
    /// The most bytes that were received when a body broke off. Only more bytes count as progress.
    private var most = 0
    private(set) var resumed = 0
    var isComplete = false
    /// The path of the complete file.
    var place: String?
    private var hasResponse = false
    /// Whether the part that is being received continues bytes of another server.
    private var continuesOther = false

    /// - Parameter continuesOther: Whether the existing bytes are of another server.
    init(
        _ download: Download, _ partial: PartialFile, _ combination: Journal.Combination?, urls: [String],
        continuesOther: Bool
    ) {
        self.download = download
        self.partial = partial
        self.combination = combination
        self.urls = urls
        url = download.request.resourceKey
        source = DownloadSource(
            request: DownloadRun.prepared(download.request),
            representation: continuesOther ? nil : partial.journal?.representation)
        pace = DownloadPace(download.progress)
        speed = SpeedLimit(download.speed?.bytes)
        divides = download.segments > 1 && download.request.method == .get
    }

    enum Step {
        case done(Response)
        /// The file was complete before the run.
        case confirmed(DownloadResult)
        case next
    }

    mutating func run(with sender: some RequestSender) async throws(PlugboardError) -> DownloadResult {
        // Wrong pieces become missing.
        try? await verify(partial.duePieces())
        resumed = partial.count
        most = partial.count
        while true {
            do throws(PlugboardError) {
                let response: Response
                switch try await attempt(with: sender) {
                case .next: continue
                case .confirmed(let result): return result
                case .done(let last): response = last
                }
                if !isComplete { try? await partial.synchronize() }
                return DownloadResult(
                    response: response, isComplete: isComplete, file: place ?? destination, count: partial.count,
                    resumed: resumed, isVerified: isVerified)
            } catch {
                try? await partial.synchronize()
                // After a response, a failed name look-up means that the network is interrupted for a moment.
                let isTransient = DownloadRun.isTransient(error.code) || hasResponse && error.code == .transportDNS
                guard isTransient, let delay = nextDelay() else { throw error }
                try await DownloadRun.wait(delay)
            }
        }
    }

    static func wait(_ delay: Duration) async throws(PlugboardError) {
        guard delay > .zero else { return }
        do {
            try await Task.sleep(for: delay)
        } catch {
            try checkCancelled()
        }
    }

    static func checkCancelled() throws(PlugboardError) {
        if Task.isCancelled { throw PlugboardError(.cancelled, "The task of the download was cancelled.") }
    }

    /// Whether another request may succeed after this error.
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

    // MARK: One request

    private mutating func attempt(with sender: some RequestSender) async throws(PlugboardError) -> Step {
        if let (response, decision) = try await askForRest(sender) {
            hasResponse = true
            switch decision {
            case .part(let part): return try await receive(part, response, sender)
            case .whole(let whole): return try await receive(whole, response, sender)
            case .other: return .done(response)
            case .refused(let refusal):
                response.body.source.release()
                if source.representation == nil, refusal == .otherLength || refusal == .unsatisfiable {
                    try checkOther(nil)
                }
                asksWhole = true
                return .next
            }
        }
        let response = try await sender.send(source.request)
        hasResponse = true
        switch response.status {
        case 200, 201, 203, 206:
            let contradicts = ContentRange.contradictsWhole(response.fields, bodyLength: response.body.length)
            guard response.status == 206 || contradicts else { break }
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

    /// Requests the first missing bytes; nil if the whole file must be requested.
    private mutating func askForRest(
        _ sender: some RequestSender
    ) async throws(PlugboardError) -> (response: Response, decision: RangeDecision)? {
        guard !asksWhole, partial.count > 0, download.request.method == .get, let journal = partial.journal else {
            return nil
        }
        // The decision on the first part of another server's file changes `source.representation`.
        continuesOther = source.representation == nil
        let next = partial.received.prefix
        // If the file is received in several parts, bytes after the missing ones may exist already.
        let end = partial.received.ranges.first { $0.lowerBound > next }?.lowerBound
        return try await source.ask(
            from: next, upTo: end, overlap: download.overlap?.bytes, of: journal.representation, with: sender)
    }

    static func prepared(_ request: Request) -> Request {
        var request = request
        // Ranges count the bytes on the wire, without decoding.
        request.attributes["decode.enabled"] = "false"
        return request
    }

    /// Receives the whole representation, from its first byte.
    private mutating func receive(
        _ whole: Representation, _ response: Response, _ sender: some RequestSender
    ) async throws(PlugboardError) -> Step {
        asksWhole = false
        resumed = 0
        do throws(PlugboardError) {
            try check(whole.length ?? 0)
            try checkSize(whole.length)
            try checkReplacement(whole)
            let name = ContentDisposition.name(in: response.fields)
            let destination = destination(name)
            try acceptName(destination)
            if let result = try await confirm(whole, response, destination) { return .confirmed(result) }
            try accept(destination)
            try partial.begin(
                whole, url: url, mirrors: urls, name: name, announced: ExpectedDigest(response.head))
        } catch {
            response.body.source.release()
            throw error
        }
        source.representation = whole
        if let length = whole.length, canDivide(length) || receivesPieces, whole.validator != nil,
            DownloadRun.offersRanges(response)
        {
            return try await receiveSegments(response, length, sender)
        }
        try await write(response, repeated: 0, count: whole.length)
        return try await finish(response)
    }

    private var receivesPieces: Bool { requestsPieces && partial.pieces != nil }
    private func canDivide(_ count: Int) -> Bool { divides && count / 2 >= download.segmentMinimum }

    /// Whether the response offers ranges (RFC 9110 §14.3).
    private static func offersRanges(_ response: Response) -> Bool {
        response.fields.values(.acceptRanges).contains { $0.lowercased() == "bytes" }
    }

    /// Receives bytes that continue the existing ones.
    private mutating func receive(
        _ part: RangePart, _ response: Response, _ sender: some RequestSender
    ) async throws(PlugboardError) -> Step {
        do throws(PlugboardError) {
            try check(part.complete ?? 0)
            try checkSize(part.complete)
            try acceptName(destination)
            try accept(destination)
            let isOwn = !partial.isCombined && !continuesOther
            try partial.update(length: part.complete, url: isOwn ? url : nil)
            if continuesOther, let combination { try partial.combine(under: combination) }
            if source.representation?.length == nil { source.representation?.length = part.complete }
        } catch {
            response.body.source.release()
            throw error
        }
        let isDivided = partial.journal?.written != nil
        if partial.journal?.representation.length != nil, part.repeated == 0,
            isDivided || canDivide(part.count) || receivesPieces
        {
            return try await receiveSegments(response, part.count, sender)
        }
        try await write(response, repeated: part.repeated, count: part.count)
        guard let complete = part.complete, !asksWhole else { return .next }
        return partial.count == complete ? try await finish(response) : .next
    }

    /// - Parameter count: The number that the server has announced. The existing bytes are kept.
    func check(_ count: Int) throws(PlugboardError) {
        guard let limit = download.limit, count > limit.bytes else { return }
        throw PlugboardError(.bodyLimit, "The file would be larger than the \(limit) allowed. Raise the limit.")
    }

    func checkSize(_ count: Int?) throws(PlugboardError) {
        guard let size = download.size, let count, count != size.bytes else { return }
        throw PlugboardError(
            .downloadDigest,
            "The server's file has \(count) bytes and not the \(size.bytes) expected, so it is another file.")
    }

    /// Throws if a mirror's file would replace bytes of another server that can be continued, but has another length,
    /// or a length that is not known before its end.
    private func checkReplacement(_ whole: Representation) throws(PlugboardError) {
        guard source.representation == nil, partial.count > 0, let known = partial.journal?.representation else {
            return
        }
        if let length = whole.length { return try checkOther(length) }
        guard known.validator != nil else { return }
        throw PlugboardError(
            .downloadDigest,
            "The mirror does not say the length of its file, so it has not replaced the \(partial.count) bytes of "
                + "another server.")
    }

    /// Throws if a mirror's file of another length would replace bytes of another server.
    private func checkOther(_ count: Int?) throws(PlugboardError) {
        guard let length = partial.journal?.representation.length, count != length else { return }
        throw PlugboardError(
            .downloadDigest, "The mirror's file does not have the \(length) bytes of the first server's.")
    }
}
