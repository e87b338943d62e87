import PlugboardMessages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One run of an upload: requests, until the server has all bytes or the attempts are used up.
///
/// The server alone says where the upload goes on: after each request that did not end as it should, it is asked for
/// its offset, and bytes are sent from there.
struct UploadRun {
    let upload: Upload
    let target: String
    let journal: UploadJournal?
    var parts: UploadParts
    var sending: UploadSending
    /// Nil until it is known; then the protocol that the upload is created by.
    var dialect: UploadDialect?
    /// Where the bytes go; nil until the server has told it.
    var resource: UploadResource?
    /// How many bytes the server has; nil if it must be asked.
    var offset: Int?
    private var failures = 0
    /// The most bytes that the server has confirmed. Only more of them count as progress.
    var most = 0
    var resumed = 0
    /// Whether the upload was there before this run, so that the server may have bytes that this run has not sent.
    var isContinued = false

    init(_ upload: Upload) throws(PlugboardError) {
        guard upload.request.body == nil else {
            throw PlugboardError(.requestOption, "An upload sets the body itself. Remove it from the request.")
        }
        for field in upload.request.fields where UploadDialect.isReserved(field.name) {
            throw PlugboardError(
                .requestField, "An upload sets \(field.name) itself. Remove the field from the request.")
        }
        self.upload = upload
        target = UploadJournal.key(of: upload.request.url)
        parts = try UploadParts(upload.content)
        sending = UploadSending(upload)
        let hasJournal = upload.resumption != .none && parts.file != nil
        journal = try hasJournal ? upload.journal.map { path throws(PlugboardError) in try UploadJournal(path) } : nil
        dialect =
            switch upload.resumption {
            case .draft: .draft
            case .tus: .tus
            case .automatic: upload.asksForProtocol ? nil : .draft
            case .none: nil
            }
    }

    mutating func run(with sender: some RequestSender) async throws(PlugboardError) -> UploadResult {
        do throws(PlugboardError) {
            if upload.resumption == .none { return try await sendWhole(with: sender) }
            try await takeUp(with: sender)
            while true {
                do throws(PlugboardError) {
                    guard let response = try await step(with: sender) else { continue }
                    if isFinished(by: response) { journal?.remove() }
                    return result(response)
                } catch {
                    offset = nil
                    guard mayGoOn(after: error), let delay = nextDelay() else { throw error }
                    try await sleep(delay)
                }
            }
        } catch {
            parts.release()
            if error.code == .uploadChanged { await abandon(with: sender) }
            throw error
        }
    }

    // MARK: The journal

    /// Takes up an earlier upload of the same file to the same URL.
    private mutating func takeUp(with sender: some RequestSender) async throws(PlugboardError) {
        guard let journal, let file = parts.file, let entry = journal.load(target: target) else { return }
        let isWanted = upload.resumption == .automatic || upload.resumption.rawValue == entry.resource.dialect.rawValue
        if upload.resumes, isWanted, entry.file == file.identity, entry.resource.expires ?? .max > now {
            resource = entry.resource
            isContinued = true
            return
        }
        // The server would keep the bytes of a file that is not there any more. Best effort.
        let response = try? await sender.send(entry.resource.dialect.cancellation(of: entry.resource, by: upload))
        response?.body.source.release()
        journal.clear()
    }

    /// Notes where the bytes go.
    mutating func begin(_ resource: UploadResource) throws(PlugboardError) {
        self.resource = resource
        isContinued = false
        if let journal, let file = parts.file {
            try journal.save(UploadJournal.Entry(resource: resource, file: file.identity), target: target)
        }
    }

    mutating func lose() {
        resource = nil
        offset = nil
        isContinued = false
        resumed = 0
        journal?.clear()
    }

    /// The bytes on the server are of no use: the file has changed.
    private mutating func abandon(with sender: some RequestSender) async {
        if let resource {
            let response = try? await sender.send(resource.dialect.cancellation(of: resource, by: upload))
            response?.body.source.release()
        }
        journal?.remove()
    }

    var now: Int64 { Int64(time(nil)) }

    // MARK: Failures

    /// Whether another request may bring the upload forward.
    private func mayGoOn(after error: PlugboardError) -> Bool {
        switch error.code {
        case .transportConnect, .timeoutConnect, .transportUnprocessed, .transportStale: return true
        case .timeoutIdle, .timeoutAttempt, .transportReset, .transportProtocol, .bodyCut: break
        default: return false
        }
        // A creation that has sent content, and of which no resource is known, may have been carried out.
        return resource != nil || dialect != .draft || upload.resumption == .draft
            || upload.request.method.isIdempotent
    }

    /// Waits for another request, or returns the response when there is none.
    mutating func goOn(after response: Response) async throws(PlugboardError) -> Response? {
        offset = nil
        guard let delay = nextDelay() else { return response }
        response.body.source.release()
        try await sleep(delay)
        return nil
    }

    /// Lets the server say what it has, after a success that does not fit what was sent.
    mutating func askAgain(after response: Response) async throws(PlugboardError) {
        offset = nil
        response.body.source.release()
        guard let delay = nextDelay() else {
            throw PlugboardError(
                .uploadOffset, "The server accepts bytes, and does not have them when it is asked (Upload-Offset).")
        }
        try await sleep(delay)
    }

    private mutating func nextDelay() -> Duration? {
        failures += 1
        guard failures < upload.attempts else { return nil }
        return failures == 1 ? .zero : min(upload.delay * (1 << min(failures - 2, 20)), .seconds(30))
    }

    private func sleep(_ delay: Duration) async throws(PlugboardError) {
        do { try await Task.sleep(for: delay) } catch {
            throw PlugboardError(.cancelled, "The task of the upload was cancelled.")
        }
    }

    static func isTransient(_ status: Int) -> Bool {
        status >= 500 && status != 501 && status != 505 || [408, 425, 429].contains(status)
    }

    /// The server has so many bytes.
    mutating func confirm(_ count: Int) {
        offset = count
        guard count > most else { return }
        most = count
        failures = 0
    }

    // MARK: The end

    private mutating func sendWhole(with sender: some RequestSender) async throws(PlugboardError) -> UploadResult {
        var request = upload.request
        let length = parts.length
        let part = UploadPart(body: parts.whole, offset: 0, count: length ?? 0, isLast: true)
        request.body = part.body
        let response = try await sending.send(request, part, total: length, resumed: 0, with: sender)
        if (200...299).contains(response.status) { most = length ?? sending.sent }
        return result(response)
    }

    /// Whether there is nothing to go on with after this response.
    private func isFinished(by response: Response) -> Bool {
        switch response.status {
        case 200...299: true
        // The right credentials, or a free moment, may come later.
        case 401, 403, 407: false
        case let status where UploadRun.isTransient(status): false
        default: true
        }
    }

    private mutating func result(_ response: Response) -> UploadResult {
        parts.release()
        let isComplete = (200...299).contains(response.status)
        let count = isComplete ? parts.length ?? sending.sent : most
        if isComplete {
            upload.progress?(UploadProgress(sent: count, resumed: resumed, total: count))
        }
        return UploadResult(response: response, isComplete: isComplete, count: count, resumed: resumed)
    }
}
