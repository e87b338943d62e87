import PlugboardFileClaims
import PlugboardMessages
import PlugboardSystem

/// One run of an upload: requests, until the server has all bytes or the attempts are used up.
///
/// The server alone says where the upload goes on: after each request that did not end as it should, it is asked for
/// its offset, and bytes are sent from there.
struct UploadRun {
    private(set) var upload: Upload
    let target: String
    private(set) var trust = TransferTrust()
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
    /// The most bytes that the server has ever confirmed. Only more of them count as progress.
    private var most = 0
    /// The most bytes that it has confirmed of the present resource.
    var confirmed = 0
    /// Whether the server has said that it speaks the draft, or the caller has.
    var knowsDraft: Bool
    /// Whether the server of tus does not know the length yet.
    var isLengthDeferred = false
    var resumed = 0
    /// The SHA-256 of the whole content in base 64, once a request needed it.
    var contentDigest: String?
    /// Whether the upload was there before this run, so that the server may have bytes that this run has not sent.
    var isContinued = false

    init(_ upload: Upload, _ claim: FileClaim) async throws(PlugboardError) {
        guard upload.request.body == nil else {
            throw PlugboardError(.requestOption, "An upload sets the body itself. Remove it from the request.")
        }
        for field in upload.request.fields where UploadDialect.isReserved(field.name) {
            throw PlugboardError(
                .requestField, "An upload sets \(field.name) itself. Remove the field from the request.")
        }
        guard upload.resumption == .none || Origin(url: upload.request.url) != nil else {
            throw PlugboardError(
                .requestURL, "A resumable upload needs the whole URL, with http or https. Add the base to it.")
        }
        self.upload = upload
        knowsDraft = upload.resumption == .draft
        target = UploadJournal.key(of: upload.request.url)
        parts = try UploadParts(upload.content)
        sending = UploadSending(upload)
        let hasJournal = upload.resumption != .none && parts.file != nil
        journal =
            if hasJournal, let path = upload.journal { try await UploadJournal.opened(path, claim) } else { nil }
        dialect =
            switch upload.resumption {
            case .draft: .draft
            case .tus: .tus
            case .automatic: upload.offer == nil ? nil : .draft
            case .none: nil
            }
    }

    mutating func run(with sender: some RequestSender) async throws(PlugboardError) -> UploadResult {
        trust = sender.options(of: upload.request).transferTrust
        do throws(PlugboardError) {
            if upload.resumption == .none { return try await sendWhole(with: sender) }
            try await checkChecksum(with: sender)
            try await takeUp(with: sender)
            while true {
                do throws(PlugboardError) {
                    guard let response = try await step(with: sender) else { continue }
                    return await end(response, with: sender)
                } catch {
                    offset = nil
                    guard mayGoOn(after: error), let delay = nextDelay() else { throw error }
                    try await UploadRun.sleep(delay)
                }
            }
        } catch {
            parts.release()
            sending.end()
            if error.code == .uploadChanged || isLeft { await abandon(with: sender) }
            throw error
        }
    }

    // MARK: The journal

    /// Takes up an earlier upload of the same file to the same URL.
    private mutating func takeUp(with sender: some RequestSender) async throws(PlugboardError) {
        guard let journal, let file = parts.file else { return }
        let entry: UploadJournal.Entry
        switch journal.load(target, with: trust) {
        case .nothing, .unverified: return
        case .otherDetour: throw UploadJournal.otherDetour
        case .entry(let known): entry = known
        case .other:
            throw PlugboardError(
                .uploadJournal,
                "The journal belongs to an upload to another URL, or to another version of Plugboard. Cancel that upload, "
                    + "or name another journal.")
        }
        try upload.checkOrigin(of: entry.resource)
        let isWanted = upload.resumption == .automatic || upload.resumption.rawValue == entry.resource.dialect.rawValue
        if upload.resumes, isWanted, entry.file == file.identity, entry.resource.expires ?? .max > now {
            resource = entry.resource
            isContinued = true
            return
        }
        // The server has an expired upload no more, and would keep the bytes of a file that is not there any more. Best
        // effort.
        let response = try? await sender.send(entry.resource.dialect.cancellation(of: entry.resource, by: upload))
        response?.body.source.release()
        journal.clear()
    }

    /// Notes where the bytes go.
    mutating func begin(_ resource: UploadResource) throws(PlugboardError) {
        try upload.checkOrigin(of: resource)
        self.resource = resource
        isContinued = false
        if let journal, let file = parts.file {
            try journal.save(
                UploadJournal.Entry(
                    resource: resource, file: file.identity, trust: trust), target: target)
        }
    }

    /// Forgets the resource. The journal keeps it until there is another one, unless the server certainly lost it.
    mutating func lose(isCertain: Bool) {
        resource = nil
        // Another resource has nothing of what was sent to this one.
        confirmed = 0
        parts.given.reset()
        offset = nil
        isContinued = false
        resumed = 0
        if isCertain { journal?.clear() }
    }

    /// Whether bytes are on the server that no other run can go on with. Where the server may have all of them, they
    /// may be more than bytes: removing them could remove what was uploaded.
    private var isLeft: Bool { resource != nil && journal == nil && !parts.isAllGiven }

    /// The bytes on the server are of no use. Best effort, also when the task is cancelled.
    private mutating func abandon(with sender: some RequestSender) async {
        if let resource {
            var request = resource.dialect.cancellation(of: resource, by: upload)
            request.options.timeout = .seconds(5)
            await Task { [request] in
                let response = try? await sender.send(request)
                response?.body.source.release()
            }.value
        }
        journal?.remove()
    }

    var now: Int64 { Int64(time(nil)) }

    // MARK: Failures

    /// Whether the request has not reached a server.
    static func isUnsent(_ code: PlugboardError.Code) -> Bool {
        [.transportDNS, .transportConnect, .timeoutConnect, .transportUnprocessed, .transportStale].contains(code)
    }

    /// Whether another request may bring the upload forward.
    private func mayGoOn(after error: PlugboardError) -> Bool {
        if UploadRun.isUnsent(error.code) { return true }
        switch error.code {
        case .timeoutIdle, .timeoutAttempt, .transportReset, .transportProtocol, .bodyCut: break
        default: return false
        }
        // A creation that has sent content, and of which no resource is known, may have been carried out.
        return resource != nil || dialect != .draft || knowsDraft || upload.request.method.isIdempotent
    }

    /// Asks the server which protocol it speaks.
    mutating func askForProtocol(with sender: some RequestSender) async throws(PlugboardError) {
        let before = failures
        // The question has attempts of its own.
        failures = upload.attempts
        let offer = try await upload.offer(by: sender)
        failures = before
        upload.offer = offer
        dialect = offer.resumption == .tus ? .tus : .draft
        knowsDraft = offer.resumption == .draft
    }

    /// A server that does not verify checksums would ignore them.
    private mutating func checkChecksum(with sender: some RequestSender) async throws(PlugboardError) {
        guard upload.checksum, dialect != .draft else { return }
        if upload.offer == nil {
            upload.offer = try await upload.offer(by: sender)
            if dialect == nil { dialect = upload.offer?.resumption == .tus ? .tus : .draft }
            knowsDraft = knowsDraft || upload.offer?.resumption == .draft
        }
        guard dialect == .draft || upload.offer?.verifiesSHA256 == true else {
            throw PlugboardError(
                .uploadProtocol,
                "The server does not say that it verifies SHA-256 (Tus-Extension, Tus-Checksum-Algorithm). Upload without "
                    + "the checksum.")
        }
    }

    /// Waits before the next request; returns the response if no further request may be sent.
    mutating func goOn(after response: Response) async throws(PlugboardError) -> Response? {
        offset = nil
        guard let delay = nextDelay(asked: retryAfter(response.fields)) else { return response }
        response.body.source.release()
        try await UploadRun.sleep(delay)
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
        try await UploadRun.sleep(delay)
    }

    /// The wait before the next request; nil if no further request may be sent.
    private mutating func nextDelay(asked: Duration = .zero) -> Duration? {
        failures += 1
        guard failures < upload.attempts, !parts.isSpent, asked <= .seconds(60) else { return nil }
        let own = failures == 1 ? .zero : min(upload.delay * (1 << min(failures - 2, 20)), .seconds(30))
        return max(own, asked)
    }

    /// How long the server asks to wait (RFC 9110 §10.2.3).
    private func retryAfter(_ fields: Fields) -> Duration {
        guard let text = fields[.retryAfter] else { return .zero }
        if let seconds = UploadDialect.number(text) { return .seconds(min(seconds, 1 << 32)) }
        guard let date = HTTPDate(text, now: HTTPDate(seconds: now)) else { return .zero }
        return .seconds(min(max(date.seconds - now, 0), 1 << 32))
    }

    static func sleep(_ delay: Duration) async throws(PlugboardError) {
        do { try await Task.sleep(for: delay) } catch {
            throw PlugboardError(.cancelled, "The task of the upload was cancelled.")
        }
    }

    static func isTransient(_ status: Int) -> Bool {
        // 423: the server has not noticed yet that the last connection is gone.
        status >= 500 && status != 501 && status != 505 || [408, 423, 425, 429].contains(status)
    }

    /// The server has so many bytes.
    mutating func confirm(_ count: Int) {
        offset = count
        confirmed = max(confirmed, count)
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
        try await addDigests(of: part, toCreation: &request, nil)
        let response = try await sending.send(request, part, total: length, resumed: 0, with: sender)
        return await end(response, with: sender)
    }

    /// The end of the run by a response.
    private mutating func end(_ response: Response, with sender: some RequestSender) async -> UploadResult {
        parts.release()
        let isComplete = (200...299).contains(response.status)
        // The server has nothing to go on with; other statuses, such as 401, may pass.
        let isGone = isComplete || UploadDialect.lost.contains(response.status)
        if isGone {
            journal?.remove()
        } else if isLeft {
            await abandon(with: sender)
        }
        let count = isComplete ? parts.length ?? parts.given.value : confirmed
        sending.end(isComplete ? TransferProgress(sent: count, toSend: count, resumed: resumed) : nil)
        return UploadResult(response: response, isComplete: isComplete, count: count, resumed: resumed)
    }
}
