import PlugboardMessages
import Synchronization

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
    private let upload: Upload
    private let target: String
    private let journal: UploadJournal?
    private var parts: UploadParts
    private var sending: UploadSending
    /// Nil until it is known; then the protocol that the upload is created by.
    private var dialect: UploadDialect?
    /// Where the bytes go; nil until the server has told it.
    private var resource: UploadResource?
    /// How many bytes the server has; nil if it must be asked.
    private var offset: Int?
    private var failures = 0
    /// The most bytes that the server has confirmed. Only more of them count as progress.
    private var most = 0
    private var resumed = 0
    /// Whether the upload was there before this run, so that the server may have bytes that this run has not sent.
    private var isContinued = false

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
    private mutating func begin(_ resource: UploadResource) throws(PlugboardError) {
        self.resource = resource
        isContinued = false
        if let journal, let file = parts.file {
            try journal.save(UploadJournal.Entry(resource: resource, file: file.identity), target: target)
        }
    }

    private mutating func lose() {
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

    private var now: Int64 { Int64(time(nil)) }

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
    private mutating func goOn(after response: Response) async throws(PlugboardError) -> Response? {
        offset = nil
        guard let delay = nextDelay() else { return response }
        response.body.source.release()
        try await sleep(delay)
        return nil
    }

    /// Lets the server say what it has, after a success that does not fit what was sent.
    private mutating func askAgain(after response: Response) async throws(PlugboardError) {
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

    private static func isTransient(_ status: Int) -> Bool {
        status >= 500 && status != 501 && status != 505 || [408, 425, 429].contains(status)
    }

    /// The server has so many bytes.
    private mutating func confirm(_ count: Int) {
        offset = count
        guard count > most else { return }
        most = count
        failures = 0
    }

    // MARK: One request

    /// Returns the last response; nil if the upload goes on.
    private mutating func step(with sender: some RequestSender) async throws(PlugboardError) -> Response? {
        guard let dialect else {
            self.dialect = try await upload.resumptionOffered(by: sender) == .tus ? .tus : .draft
            return nil
        }
        guard let resource else { return try await create(dialect, with: sender) }
        guard let offset else { return try await ask(resource, with: sender) }
        return try await append(to: resource, at: offset, with: sender)
    }

    private mutating func create(
        _ dialect: UploadDialect, with sender: some RequestSender
    ) async throws(PlugboardError) -> Response? {
        // Content that is sent to a server that does not know the protocol arrives as by any other request.
        let part =
            upload.resumption == .automatic && dialect == .draft
            ? try await parts.part(from: 0, upTo: partLimit(nil)) : nil
        let request = try dialect.creation(by: upload, with: part, length: parts.length)
        let announced = Announcement()
        let response: Response
        do throws(PlugboardError) {
            response = try await sending.send(request, part, total: parts.length, resumed: 0, with: sender) {
                [target, journal, now, identity = parts.file?.identity] head in
                guard head.status == 104, dialect == .draft,
                    let resource = dialect.resource(in: head, base: request.url, now: now)
                else { return }
                announced.set(resource) {
                    guard let journal, let identity else { return }
                    try? journal.save(UploadJournal.Entry(resource: resource, file: identity), target: target)
                }
            }
        } catch {
            if let resource = await announced.resource() { try begin(resource) }
            throw error
        }
        let base = response.url.isEmpty ? request.url : response.url
        let status = response.status
        var named = await announced.resource()
        if (200...299).contains(status), part?.isLast != true || UploadDialect.isComplete(response.fields) == false {
            named = dialect.resource(in: response.head, base: base, now: now) ?? named
            response.body.source.release()
            guard let named, dialect == .draft || status == 201 else {
                throw PlugboardError(
                    .uploadProtocol,
                    "The server responded with status \(status) and named no resource for the upload, so it does not "
                        + "speak \(dialect == .tus ? "tus 1.0" : "the draft of resumable uploads"). Upload without.")
            }
            if let limit = dialect.limit("max-size", in: response.fields), parts.length ?? 0 > limit {
                throw PlugboardError(
                    .uploadLimit, "The content has \(parts.length ?? 0) bytes, and the server accepts \(limit).")
            }
            try begin(named)
            // A response to the first part is as good as one to a question only if it says how much has arrived.
            if let offset = UploadDialect.offset(in: response.fields) ?? (part == nil ? 0 : nil) {
                confirm(try checked(offset))
            }
            return nil
        }
        if let named {
            try begin(named)
            if UploadRun.isTransient(status) { return try await goOn(after: response) }
            if (200...299).contains(status), let part, parts.given.value < part.end {
                try await askAgain(after: response)
                return nil
            }
        } else if UploadRun.isTransient(status), part == nil {
            return try await goOn(after: response)
        }
        return response
    }

    private mutating func ask(
        _ resource: UploadResource, with sender: some RequestSender
    ) async throws(PlugboardError) -> Response? {
        let response = try await sender.send(resource.dialect.question(about: resource, by: upload))
        let fields = response.fields
        switch response.status {
        case 200...299:
            guard let told = UploadDialect.offset(in: fields) else {
                response.body.source.release()
                throw PlugboardError(
                    .uploadProtocol, "The server does not say how many bytes of the upload it has (Upload-Offset).")
            }
            let count: Int
            do throws(PlugboardError) { count = try checked(told) } catch {
                response.body.source.release()
                throw error
            }
            confirm(count)
            if isContinued {
                isContinued = false
                resumed = count
            }
            let isWhole = parts.length == count
            if isWhole, resource.dialect == .tus || UploadDialect.isComplete(fields) == true { return response }
            response.body.source.release()
            return nil
        case 404, 410:
            return try await startOver(after: response)
        case 403 where resource.dialect == .tus && UploadDialect.offset(in: fields) == nil:
            return try await startOver(after: response)
        case let status where UploadRun.isTransient(status): return try await goOn(after: response)
        default: return response
        }
    }

    private mutating func startOver(after response: Response) async throws(PlugboardError) -> Response? {
        lose()
        return try await goOn(after: response)
    }

    private mutating func append(
        to resource: UploadResource, at offset: Int, with sender: some RequestSender
    ) async throws(PlugboardError) -> Response? {
        let part = try await parts.part(from: offset, upTo: partLimit(resource.appendLimit))
        var request = resource.dialect.appending(part, to: resource, by: upload, length: parts.length)
        if upload.checksum, resource.dialect == .tus {
            request.fields["Upload-Checksum"] = "sha256 \(try await UploadSending.digest(of: part))"
        }
        let response = try await sending.send(
            request, part, total: parts.length, resumed: resumed, with: sender)
        let told = UploadDialect.offset(in: response.fields)
        switch response.status {
        case 200...299:
            let isTold = told == part.end
            let isWhole = part.isLast && UploadDialect.isComplete(response.fields) != false
            // A server that responds before it has read everything must say what it has.
            let isSent = parts.given.value >= part.end
            if isWhole, isSent, isTold || told == nil && resource.dialect == .draft {
                confirm(part.end)
                return response
            }
            guard isTold, !part.isLast else {
                try await askAgain(after: response)
                return nil
            }
            response.body.source.release()
            confirm(part.end)
            return nil
        case 404, 410: return try await startOver(after: response)
        // 409: the server has another offset. 460: the bytes do not have the digest that tus told.
        case 409, 460: return try await goOn(after: response)
        case let status where UploadRun.isTransient(status): return try await goOn(after: response)
        default: return response
        }
    }

    /// The offset that the server told, unless it cannot have so many bytes.
    private func checked(_ offset: Int) throws(PlugboardError) -> Int {
        let most = isContinued ? parts.length ?? 0 : max(parts.given.value, self.most)
        guard offset <= most else {
            throw PlugboardError(
                .uploadOffset,
                "The server says that it has \(offset) bytes of the upload, and only \(most) were sent. Something else "
                    + "was added to it: remove the upload, and begin again.")
        }
        return offset
    }

    private func partLimit(_ limit: Int?) -> Int {
        let own = upload.partSize.map { max($0.bytes, 1) } ?? (isStream ? 4 << 20 : .max)
        return min(own, max(limit ?? .max, 1))
    }

    private var isStream: Bool { if case .stream = upload.content.kind { true } else { false } }

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

/// The resource that an interim response has announced, which is noted off the loop.
private final class Announcement: Sendable {
    private struct State {
        var resource: UploadResource?
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// [loop]
    func set(_ resource: UploadResource, _ note: @escaping @Sendable () -> Void) {
        state.withLock { state in
            // The first counts; a server that names another one later has made a mistake.
            guard state.resource == nil else { return }
            state.resource = resource
            state.task = Task { note() }
        }
    }

    /// Waits until it is noted.
    func resource() async -> UploadResource? {
        let (resource, task) = state.withLock { ($0.resource, $0.task) }
        await task?.value
        return resource
    }
}
