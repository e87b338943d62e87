import PlugboardFieldValues
import PlugboardFileClaims
import PlugboardMessages
import PlugboardSystem

/// One run of an upload: sends requests until the server has all bytes or the attempts are used up.
///
/// Only the server decides where the upload continues: after each request that did not end as expected, it is asked for
/// its offset, and bytes are sent from there.
struct UploadRun {
    private(set) var upload: Upload
    let target: String
    private(set) var trust = TransferTrust()
    let journal: UploadJournal?
    var parts: UploadParts
    var sending: UploadSending
    /// The protocol with which the upload is created; nil until it is known.
    var dialect: UploadDialect?
    /// The resource that receives the bytes; nil until the server has told it.
    var resource: UploadResource?
    /// The number of bytes that the server has; nil if it must be asked.
    var offset: Int?
    private var failures = 0
    /// The most bytes that the server has ever confirmed. Only more bytes count as progress.
    private var most = 0
    /// The most bytes that the server has confirmed for the present resource.
    var confirmed = 0
    /// Whether the server or the caller has told that the server supports the draft.
    var knowsDraft: Bool
    /// Whether the server of tus does not know the length yet.
    var isLengthDeferred = false
    var resumed = 0
    /// The SHA-256 of the whole content in base 64, once a request needed it.
    var contentDigest: String?
    /// Whether the upload existed before this run, so that the server may have bytes that this run has not sent.
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
        target = upload.request.resourceKey
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

    /// Continues an earlier upload of the same file to the same URL.
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
        // The server no longer has an expired upload, but would keep the bytes of a file that no longer exists. Best
        // effort.
        let response = try? await sender.send(entry.resource.dialect.cancellation(of: entry.resource, by: upload))
        response?.body.source.release()
        journal.clear()
    }

    /// Notes the resource that receives the bytes.
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

    /// Forgets the resource. The journal keeps it until there is another one, unless the server has certainly lost it.
    mutating func lose(isCertain: Bool) {
        resource = nil
        // Another resource has none of the bytes that were sent to this one.
        confirmed = 0
        parts.given.reset()
        offset = nil
        isContinued = false
        resumed = 0
        if isCertain { journal?.clear() }
    }

    /// Whether the server has bytes that no other run can continue. If it may have all bytes, they may be the uploaded
    /// resource itself, which must not be removed.
    private var isLeft: Bool { resource != nil && journal == nil && !parts.isAllGiven }

    /// Removes the useless bytes on the server. Best effort, also when the task is cancelled.
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

    /// Whether another request may advance the upload.
    private func mayGoOn(after error: PlugboardError) -> Bool {
        if UploadRun.isUnsent(error.code) { return true }
        switch error.code {
        case .timeoutIdle, .timeoutAttempt, .transportReset, .transportProtocol, .bodyCut: break
        default: return false
        }
        // A creation that has sent content, but whose resource is unknown, may have had its effect.
        return resource != nil || dialect != .draft || knowsDraft || upload.request.method.isIdempotent
    }

    /// Asks the server which protocol it supports.
    mutating func askForProtocol(with sender: some RequestSender) async throws(PlugboardError) {
        let before = failures
        // The question has attempts of its own: if they fail, the run must not try again.
        failures = upload.attempts
        let offer = try await upload.offer(by: sender)
        failures = before
        upload.offer = offer
        dialect = offer.resumption == .tus ? .tus : .draft
        knowsDraft = offer.resumption == .draft
    }

    /// Throws if the server does not verify checksums, because it would ignore them.
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

    /// Asks the server for its offset, after a success that does not match the sent bytes.
    mutating func askAgain(after response: Response) async throws(PlugboardError) {
        offset = nil
        response.body.source.release()
        guard let delay = nextDelay() else {
            throw PlugboardError(
                .uploadOffset, "The server accepts bytes, and does not have them when it is asked (Upload-Offset).")
        }
        try await UploadRun.sleep(delay)
    }

    /// The delay before the next request; nil if no further request may be sent.
    private mutating func nextDelay(asked: Duration = .zero) -> Duration? {
        failures += 1
        guard failures < upload.attempts, !parts.isSpent, asked <= .seconds(60) else { return nil }
        let own = failures == 1 ? .zero : min(upload.delay * (1 << min(failures - 2, 20)), .seconds(30))
        return max(own, asked)
    }

    /// The delay that the server requests (RFC 9110 §10.2.3).
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
        // 423: the server has not yet noticed that the last connection was closed.
        status >= 500 && status != 501 && status != 505 || [408, 423, 425, 429].contains(status)
    }

    /// Notes that the server has this many bytes.
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

    /// Ends the run with a response.
    private mutating func end(_ response: Response, with sender: some RequestSender) async -> UploadResult {
        parts.release()
        let isComplete = (200...299).contains(response.status)
        // The server has nothing to continue; other statuses, such as 401, may be temporary.
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
