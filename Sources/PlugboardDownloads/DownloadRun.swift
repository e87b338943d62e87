import PlugboardMessages
import PlugboardRanges

/// One run of a download: requests, until the file is complete or the attempts are used up.
struct DownloadRun {
    let download: Download
    let partial: PartialFile
    private let url: String
    /// The keys of all URLs of the file.
    private let urls: [String]
    /// The server of this run. Its representation is nil while all bytes that are there are of another server.
    var source: DownloadSource
    /// Why bytes of several servers can be combined; nil if they cannot.
    let combination: Journal.Combination?
    var pace: DownloadPace
    var speed: SpeedLimit?
    /// After a response that was of no use, the whole is requested.
    var asksWhole = false
    /// False after a server has refused to send several parts at the same time.
    var divides: Bool
    /// False after a server has refused to send pieces one by one.
    var requestsPieces = true
    var isVerified = false
    private var failures = 0
    /// The most bytes that were there when a body broke. Only more of them count as progress.
    private var most = 0
    private(set) var resumed = 0
    var isComplete = false
    /// Where the complete file is.
    var place: String?
    private var hasResponse = false
    /// Whether the part that is received continues bytes of another server.
    private var continuesOther = false

    /// - Parameter continuesOther: Whether the bytes that are there are of another server.
    init(
        _ download: Download, _ partial: PartialFile, _ combination: Journal.Combination?, urls: [String],
        continuesOther: Bool
    ) {
        self.download = download
        self.partial = partial
        self.combination = combination
        self.urls = urls
        url = Journal.key(of: download.request.url)
        source = DownloadSource(
            request: DownloadRun.prepared(download.request),
            representation: continuesOther ? nil : partial.journal?.representation)
        pace = DownloadPace(download.progress)
        speed = SpeedLimit(download.speed?.bytes)
        divides = download.segments > 1 && download.request.method == .get
    }

    enum Step {
        case done(Response)
        /// The file was complete before.
        case confirmed(DownloadResult)
        case next
    }

    mutating func run(with sender: some RequestSender) async throws(PlugboardError) -> DownloadResult {
        // Wrong ones are then missing.
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
                // After a response, a name that cannot be resolved is a network that is gone for a moment.
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

    /// Requests the first bytes that are missing; nil if the whole must be requested.
    private mutating func askForRest(
        _ sender: some RequestSender
    ) async throws(PlugboardError) -> (response: Response, decision: RangeDecision)? {
        guard !asksWhole, partial.count > 0, download.request.method == .get, let journal = partial.journal else {
            return nil
        }
        // The decision on the first part of another server's file changes `source.representation`.
        continuesOther = source.representation == nil
        let next = partial.received.prefix
        // Bytes further on are there already, if the file is received in several parts.
        let end = partial.received.ranges.first { $0.lowerBound > next }?.lowerBound
        return try await source.ask(
            from: next, upTo: end, overlap: download.overlap?.bytes, of: journal.representation, with: sender)
    }

    static func prepared(_ request: Request) -> Request {
        var request = request
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

    /// - Parameter count: What the server has announced. The bytes that are there stay.
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

    /// What a mirror has does not replace what another server has sent and can continue, if its length is another, or
    /// is not known before its end.
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

    /// What a mirror has of another length does not replace what another server has sent.
    private func checkOther(_ count: Int?) throws(PlugboardError) {
        guard let length = partial.journal?.representation.length, count != length else { return }
        throw PlugboardError(
            .downloadDigest, "The mirror's file does not have the \(length) bytes of the first server's.")
    }
}
