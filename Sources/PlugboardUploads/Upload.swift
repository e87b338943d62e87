import PlugboardFileClaims
import PlugboardMessages

/// The upload of a file, of bytes or of a stream. Continues after an interruption if the server supports that.
///
///     let upload = Upload(Request(.put, "https://example.com/image.iso"), .file("image.iso"))
///     let result = try await upload.run(with: kernel)
///
/// Supports two protocols of resumable uploads: draft-ietf-httpbis-resumable-upload-05 (interop version 6) and tus 1.0.
/// In both, the server has a resource for each upload and tells how many bytes of it have arrived; the upload continues
/// from there. With a journal, it also continues in another process.
public struct Upload: Sendable {
    /// The protocol by which an upload is resumed.
    public enum Resumption: String, Sendable, CaseIterable {
        /// The server is asked by an OPTIONS request which protocol it speaks. If it names none, the whole content is
        /// sent in one request, and the upload is resumable if the server announces a resource for it (104).
        case automatic = "auto"
        /// draft-ietf-httpbis-resumable-upload-05: the resource is created before the content is sent.
        case draft
        /// tus 1.0.
        case tus
        /// One request, without resumption.
        case none
    }

    /// The request for the content: method, URL, fields, attributes and options, without a body.
    ///
    /// The URL is absolute, unless the upload is not resumable. The requests that follow go to the URL of the upload's
    /// resource, with the same fields except `Content-…`. Those with content are not repeated by the plugin `retry`.
    public var request: Request
    /// The content.
    public var content: UploadContent
    /// The protocol for resumption.
    public var resumption = Resumption.automatic
    /// The path of the journal, with which a file's upload continues in another process; nil for this run only.
    public var journal: String?
    /// Whether the upload's resource may have another origin than the URL; otherwise such a resource is refused.
    ///
    /// Requests to another origin are sent without the request's own credentials, attributes, pins and client
    /// certificate. Fields that the kernel's configuration adds to all requests (`headers`) are still sent.
    public var allowsOtherOrigins = false
    /// Whether the upload in the journal is continued. A file that has changed since then starts over.
    public var resumes = true
    /// Facts about the content for the server: `Upload-Metadata` of tus.
    public var metadata: [String: String] = [:]
    /// Whether requests have a SHA-256 of their bytes, which must then be read twice.
    ///
    /// Requests of tus have `Upload-Checksum`; the upload fails with `upload.protocol` if the server does not announce
    /// that it verifies it. Other requests have `Content-Digest`, and those that begin an upload also `Repr-Digest` of
    /// the whole content, except for a stream in parts (RFC 9530). A server may ignore both. Such fields of the request
    /// itself are not changed. A stream that is sent in one request fails with `body.read` if it has 4 MiB or more, and
    /// always with `none`.
    public var checksum = false
    /// The capabilities of the server; nil if it has not been asked.
    package var offer: UploadOffer?
    /// The most bytes in one request of a resumable upload. Nil for no limit, or 4 MiB for a stream.
    public var partSize: ByteCount?
    /// Whether bodies wait at most a second for the server's consent (`Expect: 100-continue`, RFC 9110 §10.1.1). With
    /// nil, bodies from 1 MiB on and those of unknown length wait, until the server has ignored the field once. After a
    /// 417 the request is repeated without it.
    public var waitsForContinue: Bool?
    /// The most requests in a row that may fail before the server has a new byte.
    public var attempts = 5
    /// The delay before the third request in a row; doubles up to 30 s. `Retry-After` can prolong it up to a minute.
    public var delay: Duration = .seconds(1)
    /// Called at most ten times a second, never concurrently, and last when the upload is complete. On any thread. Must
    /// not block.
    public var progress: (@Sendable (TransferProgress) -> Void)?

    /// Creates an upload of a content.
    public init(_ request: Request, _ content: UploadContent) {
        self.request = request
        self.content = content
    }

    /// Uploads the content.
    ///
    /// Throws `response.status` for a response that is not 2xx; `error.response` has its head and the first 64 KiB of
    /// its body. Throws the error of the last request when the attempts are used up. Both keep the journal, with which
    /// another upload continues, unless the server no longer has the upload (404, 410; for tus also 403, once another
    /// upload is created). Without a journal, the server is asked to remove the upload.
    @discardableResult
    @concurrent public func run(with sender: some RequestSender) async throws(PlugboardError) -> UploadResult {
        let result = try await sent(with: sender)
        if result.isComplete { return result }
        let reason =
            "\(Printable.url(result.response.url)) responded with status \(result.response.status), so "
            + "\(content.name) was not uploaded."
        throw await result.response.refused(.responseStatus, reason, keeping: .kibibytes(64))
    }

    /// The response that accepts the upload, or the one that refuses it, with its body.
    func sent(with sender: some RequestSender) async throws(PlugboardError) -> UploadResult {
        try await FileClaim.with { claim in
            do throws(PlugboardError) {
                var run = try await UploadRun(self, claim)
                // Ended here and not with the last reference, which the kernel may hold for a moment longer.
                defer { run.journal?.end() }
                return .success(try await run.run(with: sender))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Removes an interrupted upload: its resource on the server, and its journal.
    ///
    /// Returns the server's response; nil if the journal has no upload of this URL. A journal of another URL is kept,
    /// and so is the journal of an upload that the server refuses to remove.
    @concurrent public func cancel(with sender: some RequestSender) async throws(PlugboardError) -> Response? {
        guard let path = journal else { return nil }
        let journal = try await FileClaim.with { claim in
            do throws(PlugboardError) {
                return .success(try await UploadJournal.opened(path, claim))
            } catch {
                return .failure(error)
            }
        }
        let entry: UploadJournal.Entry
        switch journal.load(request.resourceKey, with: sender.options(of: request).transferTrust) {
        case .entry(let known): entry = known
        case .other, .unverified: return nil
        case .otherDetour: throw UploadJournal.otherDetour
        case .nothing:
            journal.remove()
            return nil
        }
        try checkOrigin(of: entry.resource)
        let response = try await sender.send(entry.resource.dialect.cancellation(of: entry.resource, by: self))
        if (200...299).contains(response.status) || UploadDialect.lost.contains(response.status) { journal.remove() }
        return response
    }

    /// The protocol that the server announces: `.tus`, `.draft`, or `.automatic` if it announces none.
    ///
    /// A server that always breaks the connection counts as one that announces none.
    @concurrent public func resumptionOffered(
        by sender: some RequestSender
    ) async throws(PlugboardError) -> Resumption {
        try await offer(by: sender).resumption
    }

    /// The capabilities of this upload's server.
    @concurrent package func offer(by sender: some RequestSender) async throws(PlugboardError) -> UploadOffer {
        var request = request
        request.method = .options
        request.body = nil
        request.fields = UploadDialect.controlFields(request.fields)
        request.fields["Tus-Resumable"] = UploadDialect.tusVersion
        var left = min(attempts, 3)
        while true {
            left -= 1
            do throws(PlugboardError) {
                let response = try await sender.send(request)
                response.body.source.release()
                let offer = UploadOffer(response.fields)
                let isLast = left <= 0 || !UploadRun.isTransient(response.status)
                if isLast || offer.resumption != .automatic { return offer }
            } catch {
                let isBreak = [.transportReset, .transportProtocol, .bodyCut].contains(error.code)
                if left <= 0, isBreak { return UploadOffer() }
                guard left > 0, isBreak || UploadRun.isUnsent(error.code) else { throw error }
            }
            try await UploadRun.sleep(delay)
        }
    }

    /// Throws `upload.protocol` if this upload must not be sent to the resource.
    func checkOrigin(of resource: UploadResource) throws(PlugboardError) {
        guard mayGo(to: resource) else {
            throw PlugboardError(
                .uploadProtocol,
                "The server places the upload on another origin (\(Origin(url: resource.url)?.description ?? "unknown")), which "
                    + "would get the configured headers. Allow other origins if it is trusted (allowsOtherOrigins, --other-origins)."
            )
        }
    }

    func mayGo(to resource: UploadResource) -> Bool {
        allowsOtherOrigins || Origin(url: resource.url) == Origin(url: request.url)
    }
}

/// The result of an upload.
public struct UploadResult: Sendable {
    /// The last response. If the connection broke after the server had all bytes, this is the response to the request
    /// for its offset.
    public var response: Response
    /// Whether the server has all bytes and has accepted them.
    var isComplete: Bool
    /// The number of bytes that the server has, as far as it is known.
    public var count: Int
    /// The number of these bytes that the server had before this run.
    public var resumed: Int
}

extension RequestSender {
    /// Uploads a file by PUT, and continues after an interruption if the server supports that: see `Upload`.
    ///
    /// Throws `response.status` for a response that is not 2xx.
    @discardableResult
    public func upload(_ file: String, to url: String) async throws(PlugboardError) -> UploadResult {
        try await Upload(Request(.put, url), .file(file)).run(with: self)
    }
}
